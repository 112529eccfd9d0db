import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { dueWords } from './due-words.ts';
import { t } from '../../texts/text.ts';

/** Runs and tests of each that the page shows; a run has the rest. */
const [mostRuns, mostTests] = [20, 50];

/** What the person has to do in the open runs of a project, the most urgent run first. */
export default function MyWorkPage({ projectId }: { readonly projectId: number }) {
  const query = 'todo:me status:active sort:due';
  const runs = useTool('get-runs', {
    projectId,
    query,
    limit: mostRuns,
    fields: ['runId', 'runName', 'dueOn'],
  });
  return (
    <Page title={t('My work')}>
      <Answer of={runs}>
        {({ runs: found, total }) =>
          found.length === 0 ? (
            <Empty title={t('No test waits for you')}>
              <p>{t('In a run, the menu Assign gives tests to somebody. Tests with a result are done.')}</p>
            </Empty>
          ) : (
            <div className="stack">
              {found.map((run) => (
                <RunWork key={run.runId} projectId={projectId} run={run} />
              ))}
              {total > found.length && (
                <p className="note">
                  {t('and {total} more runs', { total: numberText(total - found.length) })}
                </p>
              )}
            </div>
          )
        }
      </Answer>
    </Page>
  );
}

interface RunWorkProps {
  readonly projectId: number;
  readonly run: Output<'get-runs'>['runs'][number];
}

function RunWork({ projectId, run: { runId = 0, runName = '', dueOn } }: RunWorkProps) {
  const query = 'assigned:me status:untested,retest';
  const tests = useTool('get-run-tests-list', { projectId, runId, query, limit: mostTests });
  const address = `/projects/${projectId}/runs/${runId}`;
  const due = dueWords(dueOn, Date.now());
  return (
    <section className="stack tight" aria-label={runName}>
      <h2>
        <Link href={`${address}?query=assigned:me`}>{runName}</Link>{' '}
        {tests.data !== undefined && <span className="badge">{countText(tests.data.total, 'test')}</span>}{' '}
        {due !== '' && <span className="badge">{due}</span>}
      </h2>
      <Answer of={tests}>
        {({ tests: rows, total }) =>
          total === 0 ? (
            <p className="note">{t('Everything is done.')}</p>
          ) : (
            <>
              <Table
                label={t('My tests of {runName}', { runName })}
                rows={rows}
                keyOf={({ testId = 0 }) => testId}
                columns={[
                  {
                    title: t('Test'),
                    cell: ({ testId, testName }) => (
                      <Link href={`${address}?query=assigned:me&test=${testId}`}>{testName}</Link>
                    ),
                  },
                  { title: t('Section'), cell: ({ sectionPath = [] }) => sectionPath.join(' > ') },
                  { title: t('Status'), cell: ({ status = 'untested' }) => <Status of={status} /> },
                ]}
              />
              {total > rows.length && (
                <p className="note">{t('and {total} more', { total: numberText(total - rows.length) })}</p>
              )}
            </>
          )
        }
      </Answer>
    </section>
  );
}
