import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { wholeRows } from '../../api/pages.ts';
import { useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Loading } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { projectsOfHome } from './home-projects.ts';
import { dueWords } from '../planning/due-words.ts';
import { t } from '../../texts/text.ts';

/** Runs of each project that are looked at. */
const mostRuns = 4;

type Project = Output<'get-projects'>['projects'][number];

/** The newest open runs of the projects that changed last. Each project is one call, with the person's own tests as another. */
export function useHomeRuns(projects: readonly Project[]) {
  const lately = projectsOfHome(projects);
  const ask = (query: string) => ({
    queries: lately.map(({ projectId }) => {
      const input = { projectId, query, limit: mostRuns };
      return {
        queryKey: ['get-runs', input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get-runs', input, signal),
      };
    }),
  });
  const open = useQueries(ask('status:active sort:created-desc'));
  const mine = useQueries(ask('todo:me status:active sort:due'));
  const named = (answers: typeof open) =>
    answers.flatMap(({ data }, index) =>
      wholeRows(data?.runs ?? []).map((run) => ({ ...run, projectName: lately[index]?.projectName ?? '' })),
    );
  return {
    isLoading: open.some(({ isPending }) => isPending),
    found: named(open),
    mine: named(mine),
  };
}

type HomeRunsFound = ReturnType<typeof useHomeRuns>;

/** The person's own work, and the open runs; what failed leads to the failures of the run. */
export function HomeRuns({ of: { isLoading, found, mine } }: { readonly of: HomeRunsFound }) {
  if (isLoading && found.length === 0) return <Loading />;
  return (
    <>
      {mine.length > 0 && (
        <div className="stack">
          <h2>{t('My work')}</h2>
          <Table
            label={t('Runs with tests of mine')}
            rows={mine}
            keyOf={({ runId }) => runId}
            columns={[
              {
                title: t('Run'),
                cell: ({ projectId, runId, runName }) => (
                  <Link href={`/projects/${projectId}/runs/${runId}?query=assigned:me`}>{runName}</Link>
                ),
              },
              { title: t('Project'), isMinor: true, cell: ({ projectName }) => projectName },
              {
                title: t('To do'),
                isNumber: true,
                cell: ({ projectId, runId }) => <MyTests projectId={projectId} runId={runId} />,
              },
              { title: t('Due'), cell: ({ dueOn }) => dueWords(dueOn, Date.now()) || '–' },
            ]}
          />
        </div>
      )}
      {found.length > 0 && (
        <div className="stack">
          <h2>{t('Open runs')}</h2>
          <Table
            label={t('Open runs')}
            rows={found}
            keyOf={({ runId }) => runId}
            columns={[
              {
                title: t('Run'),
                cell: ({ projectId, runId, runName }) => (
                  <Link href={`/projects/${projectId}/runs/${runId}`}>{runName}</Link>
                ),
              },
              { title: t('Project'), isMinor: true, cell: ({ projectName }) => projectName },
              { title: t('Progress'), cell: ({ counts }) => <ProgressBar counts={counts} /> },
              {
                title: t('Open'),
                isNumber: true,
                isMinor: true,
                cell: ({ counts }) => numberText(counts.untested + counts.retest),
              },
              {
                title: t('Failed'),
                isNumber: true,
                cell: ({ projectId, runId, counts }) =>
                  counts.failed === 0 ? (
                    '0'
                  ) : (
                    <Link href={`/projects/${projectId}/runs/${runId}?view=failures`}>
                      {numberText(counts.failed)}
                    </Link>
                  ),
              },
              { title: t('Created'), isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

interface MyTestsProps {
  readonly projectId: number;
  readonly runId: number;
}

/** How many tests of a run wait for the person. */
function MyTests({ projectId, runId }: MyTestsProps) {
  const query = 'assigned:me status:untested,retest';
  const { data } = useTool('get-run-tests-list', { projectId, runId, query, limit: 1 });
  return data === undefined ? null : numberText(data.total);
}
