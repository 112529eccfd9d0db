import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { HistoryStrip } from '../../design/status.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { hoursText } from './insight-range.ts';
import { outcomesOf } from './outcome-strip.ts';
import { RankedTests } from './ranked-tests.tsx';
import { t } from '../../texts/text.ts';

interface PanelProps {
  readonly projectId: number;
  /** Narrows the tests; undefined: all. */
  readonly query: string | undefined;
  readonly days: number;
}

const narrowedBy = ({ projectId, query }: PanelProps) => ({
  projectId,
  ...(query !== undefined && { query }),
});

export function FlakyPanel(props: PanelProps) {
  const { page, pager } = usePaging();
  const flaky = useTool('get-flaky-tests', { ...narrowedBy(props), ...page }, { keep: true });
  return (
    <RankedTests
      of={flaky}
      projectId={props.projectId}
      label={t('Flaky tests')}
      pager={pager}
      none={t(
        'No test changed between passed and failed three times in its last 20 results while it stayed the same.',
      )}
      columns={[
        { title: t('Changes'), isNumber: true, cell: ({ flips }) => flips },
        { title: t('Failed'), isNumber: true, cell: ({ failed }) => failed },
        {
          title: t('Last results'),
          cell: ({ outcomes }) => <HistoryStrip results={outcomesOf(outcomes)} />,
        },
        { title: t('Last run'), cell: ({ lastRunAt }) => <Time at={lastRunAt} /> },
      ]}
    />
  );
}

export function FailingPanel(props: PanelProps) {
  const { page, pager } = usePaging();
  const failing = useTool('get-longest-failing', { ...narrowedBy(props), ...page }, { keep: true });
  const { projectId } = props;
  return (
    <RankedTests
      of={failing}
      projectId={projectId}
      label={t('Longest failing tests')}
      pager={pager}
      none={t('The last result of every test is another one than failed.')}
      columns={[
        { title: t('Fails since'), cell: ({ failingSince }) => <Time at={failingSince} /> },
        { title: t('In a row'), isNumber: true, cell: ({ failuresInARow }) => failuresInARow },
        {
          title: t('Last run'),
          cell: ({ lastRunId, lastRunAt }) => (
            <Link href={`/projects/${projectId}/runs/${lastRunId}`}>
              <Time at={lastRunAt} />
            </Link>
          ),
        },
      ]}
    />
  );
}

export function FixesPanel(props: PanelProps) {
  const { page, pager } = usePaging();
  const fixes = useTool(
    'get-slowest-fixes',
    { ...narrowedBy(props), days: props.days, ...page },
    { keep: true },
  );
  return (
    <RankedTests
      of={fixes}
      projectId={props.projectId}
      label={t('Slowest fixes')}
      pager={pager}
      none={t('No failing test passed again in the last {days} days.', { days: props.days })}
      columns={[
        { title: t('Longest'), isNumber: true, cell: ({ longestFixHours }) => hoursText(longestFixHours) },
        { title: t('Average'), isNumber: true, cell: ({ averageFixHours }) => hoursText(averageFixHours) },
        { title: t('Fixes'), isNumber: true, cell: ({ fixes: count }) => count },
        { title: t('Last fixed'), cell: ({ lastFixedAt }) => <Time at={lastFixedAt} /> },
      ]}
    />
  );
}

export function NeverRunPanel(props: PanelProps) {
  const { page, pager } = usePaging();
  const never = useTool('get-never-run', { ...narrowedBy(props), ...page }, { keep: true });
  return (
    <RankedTests
      of={never}
      projectId={props.projectId}
      label={t('Tests that never ran')}
      pager={pager}
      none={t('Every test has a result.')}
      columns={[{ title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} /> }]}
    />
  );
}
