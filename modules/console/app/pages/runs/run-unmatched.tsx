import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { Pager } from '../../design/pager.tsx';
import { Answer } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { usePaging } from '../../frame/paging.ts';

/** What a pipeline reported that no test of the project matches, failed ones first: without it a new test that fails would be seen nowhere. */
export function RunUnmatched({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const { page, pager } = usePaging('unmatchedOffset', 100);
  const reported = useTool('get-run-results', { projectId, runId, ...page }, { keep: true });
  return (
    <Answer of={reported}>
      {({ unmatched, unmatchedTotal }) => (
        <div className="stack">
          <p className="note">
            The pipeline reported these cases, and the project has no test for them. They count as failed for
            the pipeline, but not in the counts of the run.
          </p>
          <Table
            label="Results without a test"
            rows={unmatched}
            keyOf={({ key }) => key}
            columns={[
              {
                title: 'Case',
                cell: ({ key, file, line, message, renameOf }) => (
                  <div className="stack tight wrap">
                    <span>{key}</span>
                    {file !== null && (
                      <span className="note">
                        {file}
                        {line === null ? '' : `:${line}`}
                      </span>
                    )}
                    {renameOf !== undefined && (
                      <span className="note">
                        It seems to be{' '}
                        <Link href={`/projects/${projectId}/tests/${renameOf}`}>test {renameOf}</Link> under a
                        new name.
                      </span>
                    )}
                    {message !== undefined && <pre>{message}</pre>}
                  </div>
                ),
              },
              {
                title: 'Result',
                cell: ({ status }) => <Status of={status === 'skipped' ? 'untested' : status} />,
              },
            ]}
          />
          <Pager of={['case', 'cases']} total={unmatchedTotal} {...pager} />
        </div>
      )}
    </Answer>
  );
}
