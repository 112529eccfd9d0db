import { Link } from 'wouter';
import { Refusal } from '../../api/call.ts';
import { useTool } from '../../api/queries.ts';
import { wholeRows } from '../../api/whole-rows.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/fields.tsx';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { useAddress } from '../../shell/router.tsx';

const changes = [
  ['newly-failing', 'Newly failing', 'newlyFailing'],
  ['fixed', 'Fixed', 'fixed'],
  ['still-failing', 'Still failing', 'stillFailing'],
  ['added', 'Added', 'added'],
  ['removed', 'Removed', 'removed'],
] as const;

const pageSize = 100;

/** What is new and what is fixed against another run: the one before, unless another is chosen. */
export function RunCompare({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const [address, change] = useAddress();
  const against = Number(address.get('against')) || undefined;
  const kind = changes.find(([id]) => id === address.get('change'))?.[0] ?? 'newly-failing';
  const offset = Number(address.get('changeOffset')) || 0;
  const runs = useTool('get-runs', { projectId, query: 'sort:created-desc', limit: 100 });
  const compared = useTool(
    'compare-runs',
    {
      projectId,
      runId,
      change: kind,
      limit: pageSize,
      offset,
      ...(against === undefined ? {} : { againstRunId: against }),
    },
    { keep: true },
  );
  if (compared.error instanceof Refusal && compared.error.status < 500 && !compared.data)
    return (
      <Empty title="There is no run to compare with">
        <p>{compared.error.message}</p>
      </Empty>
    );
  return (
    <Answer of={compared}>
      {({ againstRunId, counts, tests, total }) => (
        <div className="stack">
          <div className="row">
            <Choice
              label="Compared with"
              options={wholeRows(runs.data?.runs ?? [])
                .filter((one) => one.runId !== runId)
                .map((one) => ({ id: String(one.runId), name: one.runName }))}
              value={String(againstRunId)}
              onChange={(id) => change({ against: id, changeOffset: null })}
            />
          </div>
          <div className="row" role="group" aria-label="What changed">
            {changes.map(([id, name, field]) => (
              <Button
                key={id}
                small
                aria-pressed={id === kind}
                {...(id === kind && { kind: 'primary' as const })}
                onPress={() => change({ change: id, changeOffset: null })}
              >
                {name} {numberText(counts[field])}
              </Button>
            ))}
          </div>
          {tests.length === 0 ? (
            <p className="note">None.</p>
          ) : (
            <div className="table-frame">
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Test</th>
                    <th scope="col">Before</th>
                    <th scope="col">Now</th>
                  </tr>
                </thead>
                <tbody>
                  {tests.map(({ testId, testName, before, status }) => (
                    <tr key={testId}>
                      <td>
                        <Link href={`/projects/${projectId}/tests/${testId}`}>{testName}</Link>
                      </td>
                      <td>{before === null ? '–' : <Status of={before} />}</td>
                      <td>{status === null ? '–' : <Status of={status} />}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          {total > pageSize && (
            <Pager
              of={['test', 'tests']}
              total={total}
              limit={pageSize}
              offset={offset}
              onOffset={(to) => change({ changeOffset: to === 0 ? null : String(to) })}
            />
          )}
        </div>
      )}
    </Answer>
  );
}
