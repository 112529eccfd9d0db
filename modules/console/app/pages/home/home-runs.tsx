import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { wholeRows } from '../../api/pages.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Loading } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { dueWords } from '../planning/due-words.ts';

/** Projects that are looked at, those that changed last first, and runs of each. */
const [mostProjects, mostRuns] = [6, 4];

type Project = Output<'get-projects'>['projects'][number];

/** The newest open runs of the projects that changed last. Each project is one call, with the person's own tests as another. */
export function useHomeRuns(projects: readonly Project[]) {
  const lately = projects
    .filter(({ isActive }) => isActive)
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, mostProjects);
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
  const mine = useQueries(ask('assigned:me status:active sort:due'));
  return {
    isLoading: open.some(({ isPending }) => isPending),
    found: open.flatMap(({ data }, index) =>
      wholeRows(data?.runs ?? []).map((run) => ({ ...run, projectName: lately[index]?.projectName ?? '' })),
    ),
    mine: mine.flatMap(({ data }, index) =>
      wholeRows(data?.runs ?? []).map((run) => ({ ...run, projectName: lately[index]?.projectName ?? '' })),
    ),
  };
}

type HomeRunsFound = ReturnType<typeof useHomeRuns>;

/** The person's own work, and the open runs with what has begun to fail in them. */
export function HomeRuns({ of: { isLoading, found, mine } }: { readonly of: HomeRunsFound }) {
  const failing = useNewlyFailing(found);
  if (isLoading && found.length === 0) return <Loading />;
  return (
    <>
      {mine.length > 0 && (
        <div className="stack">
          <h2>My work</h2>
          <Table
            label="Runs with tests of mine"
            rows={mine}
            keyOf={({ runId }) => runId}
            columns={[
              {
                title: 'Run',
                cell: ({ projectId, runId, runName }) => (
                  <Link href={`/projects/${projectId}/runs/${runId}?query=assigned:me`}>{runName}</Link>
                ),
              },
              { title: 'Project', cell: ({ projectName }) => projectName },
              { title: 'Due', cell: ({ dueOn }) => dueWords(dueOn, Date.now()) || '–' },
            ]}
          />
        </div>
      )}
      {found.length > 0 && (
        <div className="stack">
          <h2>Open runs</h2>
          <Table
            label="Open runs"
            rows={found}
            keyOf={({ runId }) => runId}
            columns={[
              {
                title: 'Run',
                cell: ({ projectId, runId, runName }) => (
                  <Link href={`/projects/${projectId}/runs/${runId}`}>{runName}</Link>
                ),
              },
              { title: 'Project', cell: ({ projectName }) => projectName },
              { title: 'Progress', cell: ({ counts }) => <ProgressBar counts={counts} /> },
              {
                title: 'Open',
                isNumber: true,
                cell: ({ counts }) => numberText(counts.untested + counts.retest),
              },
              {
                title: 'Failed',
                isNumber: true,
                cell: ({ projectId, runId, counts }) => {
                  const news = failing.get(runId) ?? 0;
                  return (
                    <>
                      {news > 0 && (
                        <Link
                          className="badge of-failed"
                          href={`/projects/${projectId}/runs/${runId}?view=compare`}
                        >
                          {countText(news, 'new failure')}
                        </Link>
                      )}{' '}
                      {numberText(counts.failed)}
                    </>
                  );
                },
              },
              { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        </div>
      )}
    </>
  );
}

/** How many runs are compared with the one before. */
const mostCompared = 6;

/** How many tests have begun to fail in a run, by its id; a run without one before it is left out. */
function useNewlyFailing(runs: HomeRunsFound['found']): ReadonlyMap<number, number> {
  // A run is compared with one before it of the same kind: of a pipeline, or by hand. The first one has none.
  const isReported = (run: (typeof runs)[number] | undefined) => run?.unmatched !== undefined;
  const hasEarlier = (at: number) =>
    runs.some(
      (run, index) =>
        index > at && run.projectId === runs[at]?.projectId && isReported(run) === isReported(runs[at]),
    );
  const failed = runs.filter((run, at) => run.counts.failed > 0 && hasEarlier(at)).slice(0, mostCompared);
  const answers = useQueries({
    queries: failed.map(({ projectId, runId }) => {
      const input = { projectId, runId, limit: 1 };
      return {
        queryKey: ['compare-runs', input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('compare-runs', input, signal),
        retry: false,
      };
    }),
  });
  return new Map(
    answers.flatMap(({ data }, index) => {
      const run = failed[index];
      return data && run ? [[run.runId, data.counts.newlyFailing] as const] : [];
    }),
  );
}
