import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { wholeRows } from '../../api/pages.ts';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { failingText } from '../triage/failing-words.ts';
import '../triage/triage.css';
import { projectsOfHome } from './home-projects.ts';
import { t } from '../../texts/text.ts';

/** Runs of each project that are looked at. */
const mostRuns = 3;

type Project = Output<'get-projects'>['projects'][number];

/** The newest runs with failures, open or locked, in which tests fail that did not fail in the run before. */
function useNewlyFailing(projects: readonly Project[]) {
  const looked = projectsOfHome(projects);
  const failed = useQueries({
    queries: looked.map(({ projectId }) => {
      const input = { projectId, query: 'has:failed created:>=14d sort:created-desc', limit: mostRuns };
      return {
        queryKey: ['get-runs', input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get-runs', input, signal),
      };
    }),
  });
  const runs = failed.flatMap(({ data }, index) =>
    wholeRows(data?.runs ?? []).map((run) => ({ ...run, projectName: looked[index]?.projectName ?? '' })),
  );
  const found = useQueries({
    queries: runs.map(({ projectId, runId }) => {
      const input = { projectId, runId, limit: 1 };
      return {
        queryKey: ['get-failure-groups', input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get-failure-groups', input, signal),
      };
    }),
  });
  return runs.flatMap((run, index) => {
    const failing = found[index]?.data;
    return failing === undefined || failing.newlyFailing + failing.added === 0 ? [] : [{ ...run, failing }];
  });
}

/** Where tests have begun to fail: each leads to the causes. */
export function HomeFailing({ projects }: { readonly projects: readonly Project[] }) {
  const rows = useNewlyFailing(projects);
  if (rows.length === 0) return null;
  return (
    <div className="stack">
      <h2>{t('Newly failing')}</h2>
      <Table
        label={t('Runs in which tests newly fail')}
        rows={rows}
        keyOf={({ runId }) => runId}
        columns={[
          {
            title: t('Failures'),
            cell: ({ projectId, runId, failing }) => {
              const first = failing.groups[0]?.first[0];
              return (
                <Link
                  className="failing-line"
                  href={`/projects/${projectId}/runs/${runId}?view=failures${first ? `&test=${first.testId}` : ''}`}
                >
                  {failingText(failing.failing, failing)}
                </Link>
              );
            },
          },
          {
            title: t('Run'),
            cell: ({ projectId, runId, runName }) => (
              <Link href={`/projects/${projectId}/runs/${runId}`}>{runName}</Link>
            ),
          },
          { title: t('Project'), isMinor: true, cell: ({ projectName }) => projectName },
          { title: t('Created'), isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </div>
  );
}
