import { Link } from 'wouter';
import { useTool } from '../../api/queries.ts';
import { Pager } from '../../design/pager.tsx';
import { Answer } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { usePaging } from '../../frame/paging.ts';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** What a pipeline reported that no test of the project matches, failed ones first: without it a new test that fails would be seen nowhere. */
export function RunUnmatched({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const { page, pager } = usePaging('unmatchedOffset', 100);
  const reported = useTool('get-run-results', { projectId, runId, ...page }, { keep: true });
  return (
    <Answer of={reported}>
      {({ unmatched, unmatchedTotal }) => (
        <div className="stack">
          <p className="note">
            {t(
              'The pipeline reported these cases, and the project has no test for them. Failed ones fail the build; the counts of the run are without them.',
            )}
          </p>
          <Table
            label={t('Results without a test')}
            rows={unmatched}
            keyOf={({ key }) => key}
            columns={[
              {
                title: t('Case'),
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
                        {nodes('It seems to be {link} under a new name.', {
                          link: (
                            <Link href={`/projects/${projectId}/tests/${renameOf}`}>
                              {nodes('test {renameOf}', { renameOf })}
                            </Link>
                          ),
                        })}
                      </span>
                    )}
                    {message !== undefined && <pre>{message}</pre>}
                  </div>
                ),
              },
              {
                title: t('Result'),
                cell: ({ status }) => <Status of={status === 'skipped' ? 'untested' : status} />,
              },
            ]}
          />
          <Pager of={noun('case')} total={unmatchedTotal} {...pager} />
        </div>
      )}
    </Answer>
  );
}
