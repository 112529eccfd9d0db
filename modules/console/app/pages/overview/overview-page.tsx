import { Link } from 'wouter';
import { useNames } from '../../api/people.ts';
import { wholeRows } from '../../api/pages.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText, shareText } from '../../design/amount.ts';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { passRateText, ProgressBar, type Counts } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { dueWords } from '../planning/due-words.ts';
import { FailingLine } from '../triage/failing-line.tsx';
import { runOutcomeText } from './outcome-words.ts';
import { RunIssues } from './run-issues.tsx';
import { TrendBars } from './trend-bars.tsx';
import './overview.css';
import { t } from '../../texts/text.ts';
import { MilestoneLink } from '../planning/milestone-link.tsx';
import { nodes } from '../../texts/text-nodes.ts';

const trendRuns = 10;

interface OverviewProps {
  readonly projectId: number;
}

/** How a project stands, for whoever reads nothing else: the outcome first, all of it on the first printed page. */
export default function OverviewPage({ projectId }: OverviewProps) {
  const project = useTool('get-project-detail', { projectId });
  const runs = useTool('get-runs', { projectId, query: 'progress:>0 sort:created-desc', limit: trendRuns });
  return (
    <Page title={project.data?.projectName ?? t('Overview')}>
      <Answer of={runs}>
        {(found) => {
          const rows = wholeRows(found.runs);
          const [shown] = rows;
          return shown === undefined ? (
            <Empty title={t('No result yet')}>
              <p>
                {nodes(
                  'The outcome of the last run stands here. {createA} or upload the results of a pipeline.',
                  { createA: <Link href={`/projects/${projectId}/runs`}>{t('Create a run')}</Link> },
                )}
              </p>
            </Empty>
          ) : (
            <>
              <Outcome projectId={projectId} run={shown} />
              <section className="stack tight" aria-label={t('Trend')}>
                <h2>{t('Passed in the last {runs}', { runs: countText(rows.length, 'run') })}</h2>
                <TrendBars projectId={projectId} runs={rows.toReversed()} />
              </section>
              <RunIssues projectId={projectId} runId={shown.runId} failed={shown.counts.failed} />
              <OpenMilestones projectId={projectId} />
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

interface OutcomeProps extends OverviewProps {
  readonly run: {
    readonly runId: number;
    readonly runName: string;
    readonly createdAt: string;
    readonly counts: Counts;
  };
}

/** What the run came to, in a sentence, and who tested. */
function Outcome({ projectId, run: { runId, runName, createdAt, counts } }: OutcomeProps) {
  const state = useTool('get-run-state-detail', { projectId, runId });
  const nameOf = useNames();
  const testers = state.data?.testers ?? [];
  const decided = counts.passed + counts.failed + counts.blocked;
  return (
    <section className="card stack overview-outcome" aria-label={t('Outcome')}>
      <p className="overview-verdict">{runOutcomeText(counts, state.data?.unmatched?.failed)}</p>
      <p className="note">
        <Link href={`/projects/${projectId}/runs/${runId}`}>{runName}</Link>, <Time at={createdAt} />
        {counts.failed > 0 && (
          <>
            {' · '}
            <FailingLine projectId={projectId} runId={runId} failed={counts.failed} />
          </>
        )}
      </p>
      <ProgressBar counts={counts} />
      <p>
        {nodes('Pass rate {counts}; {decided} of {tests} have a result.', {
          counts: passRateText(counts),
          decided: shareText(decided, counts.total),
          tests: countText(counts.total, 'test'),
        })}
      </p>
      {testers.length > 0 && (
        <p aria-label={t('Who tested')}>
          {nodes('Tested by {testers}.', {
            testers: testers
              .map(({ userId, name, tests }) => `${nameOf(userId, name)} (${numberText(tests)})`)
              .join(', '),
          })}
        </p>
      )}
    </section>
  );
}

/** What is due next. */
function OpenMilestones({ projectId }: OverviewProps) {
  const milestones = useTool('get-milestones', { projectId, status: 'open', limit: 5 });
  const rows = milestones.data?.milestones ?? [];
  if (rows.length === 0) return null;
  return (
    <section className="stack tight" aria-label={t('Milestones')}>
      <h2>{t('Milestones')}</h2>
      <Table
        label={t('Open milestones')}
        rows={rows}
        keyOf={({ milestoneId }) => milestoneId}
        columns={[
          {
            title: t('Milestone'),
            cell: ({ name }) => <MilestoneLink projectId={projectId} name={name} />,
          },
          { title: t('Due'), cell: ({ dueOn }) => dueWords(dueOn, Date.now()) || '–' },
          { title: t('Progress'), cell: ({ progress }) => <ProgressBar counts={progress} /> },
          { title: t('Failed'), isNumber: true, cell: ({ progress }) => numberText(progress.failed) },
        ]}
      />
    </section>
  );
}
