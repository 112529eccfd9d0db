import { Link } from 'wouter';
import { Refusal } from '../../api/call.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { wholeRows } from '../../api/pages.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/fields.tsx';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Status } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

const changes = [
  ['newly-failing', t('Newly failing'), 'newlyFailing'],
  ['fixed', t('Fixed'), 'fixed'],
  ['still-failing', t('Still failing'), 'stillFailing'],
  ['added', t('Added'), 'added'],
  ['removed', t('Removed'), 'removed'],
] as const;

/** What is new and what is fixed against another run: the one that the server finds, by its one rule, unless a person chooses another. */
export function RunCompare({ projectId, runId }: { readonly projectId: number; readonly runId: number }) {
  const [address, change] = useAddress();
  const against = Number(address.get('against')) || undefined;
  const kind = changes.find(([id]) => id === address.get('change'))?.[0] ?? 'newly-failing';
  const { page, pager } = usePaging('changeOffset', 100);
  // A run without an earlier one is not compared: the server would refuse it.
  const known = useTool(
    'get-failure-groups',
    { projectId, runId, limit: 1 },
    { enabled: against === undefined },
  );
  const isAlone = against === undefined && known.data?.comparedWith === null;
  const compared = useTool(
    'compare-runs',
    {
      projectId,
      runId,
      change: kind,
      ...page,
      ...(against === undefined ? {} : { againstRunId: against }),
    },
    { keep: true, enabled: against !== undefined || known.data?.comparedWith != null },
  );
  const choice = (
    <OtherRun
      {...{ projectId, runId, against }}
      onChange={(id) => change({ against: id, changeOffset: null })}
    />
  );
  if (isAlone)
    return (
      <Empty title={t('There is no run to compare with')}>
        <p>{t('No run before this one is of its pipeline and branch, or of the default branch.')}</p>
        {choice}
      </Empty>
    );
  if (compared.error instanceof Refusal && compared.error.status < 500 && !compared.data)
    return (
      <Empty title={t('There is no run to compare with')}>
        <p>{messageOf(compared.error)}</p>
        {choice}
      </Empty>
    );
  return (
    <Answer of={compared}>
      {({ againstRunId, counts, tests, total }) => (
        <div className="stack">
          <div className="row">
            <Against projectId={projectId} againstRunId={againstRunId} />
            {choice}
          </div>
          <div className="row" role="group" aria-label={t('What changed')}>
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
            <p className="note">{t('None.')}</p>
          ) : (
            <Table
              label={t('Tests that changed')}
              rows={tests}
              keyOf={({ testId }) => testId}
              columns={[
                {
                  title: t('Test'),
                  cell: ({ testId, testName }) => (
                    <Link href={`/projects/${projectId}/tests/${testId}`}>{testName}</Link>
                  ),
                },
                {
                  title: t('Before'),
                  cell: ({ before }) => (before === null ? '–' : <Status of={before} />),
                },
                { title: t('Now'), cell: ({ status }) => (status === null ? '–' : <Status of={status} />) },
              ]}
            />
          )}
          <Pager of={noun('test')} total={total} {...pager} />
        </div>
      )}
    </Answer>
  );
}

/** Which run it is compared with. */
function Against({ projectId, againstRunId }: { readonly projectId: number; readonly againstRunId: number }) {
  const against = useTool('run-detail', { projectId, runId: againstRunId });
  const name = against.data?.runName ?? t('Run {againstRunId}', { againstRunId });
  return (
    <p>
      {nodes('Compared with {name}', {
        name: <Link href={`/projects/${projectId}/runs/${againstRunId}`}>{name}</Link>,
      })}
      {against.data && (
        <>
          , <Time at={against.data.createdAt} />
        </>
      )}
    </p>
  );
}

interface OtherRunProps {
  readonly projectId: number;
  readonly runId: number;
  /** The run that was chosen; undefined: the one that the server finds. */
  readonly against: number | undefined;
  /** null: the one that the server finds. */
  readonly onChange: (runId: string | null) => void;
}

const found = 'found';

/** The way to a comparison with another run. */
function OtherRun({ projectId, runId, against, onChange }: OtherRunProps) {
  const runs = useTool('get-runs', { projectId, query: 'sort:created-desc', limit: 100 });
  const others = wholeRows(runs.data?.runs ?? []).filter((one) => one.runId !== runId);
  if (others.length === 0 && against === undefined) return null;
  return (
    <Choice
      label={t('Compare with another run')}
      hideLabel
      options={[
        { id: found, name: t('The last run like it') },
        // Runs of every week, and of every night, have one name.
        ...others.map((one) => ({
          id: String(one.runId),
          name: `${one.runName}, ${timeText(one.createdAt)}`,
        })),
      ]}
      value={against === undefined ? found : String(against)}
      onChange={(id) => onChange(id === found ? null : id)}
    />
  );
}
