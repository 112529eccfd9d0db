import { useEffect, useRef, useState } from 'react';
import { Refusal } from '../../api/call.ts';
import { messageOf, useMe, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Grid, type Column } from '../../design/grid.tsx';
import { Alert, Empty, Failure, Loading } from '../../design/states.tsx';
import { Donut, percent, Status, statuses, wordOf } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Time } from '../../design/time.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { useKeys } from '../../shell/keys.ts';
import { useMay } from '../../shell/organizations.ts';
import { useAddress, useTitle } from '../../shell/router.tsx';
import { KeyHelp } from './key-help.tsx';
import { RunActions } from './run-actions.tsx';
import { RunCompare } from './run-compare.tsx';
import { useExecution } from './run-execution.ts';
import { RunPanel } from './run-panel.tsx';
import { RunSummary } from './run-summary.tsx';
import { countsWith, nextUntested, statusKeys, statusOf, type RunTest } from './run-tests.ts';
import './runs.css';

interface RunPageProps {
  readonly projectId: number;
  readonly runId: number;
}

/** How long a test is selected before the address names it: somebody who holds j down changes it once. */
const settleMs = 300;

/** A run: execution by keyboard, and what comes of it. */
export default function RunPage({ projectId, runId }: RunPageProps) {
  const [address, change] = useAddress();
  const query = address.get('query') ?? '';
  const view = address.get('view') ?? 'tests';
  const me = useMe().data;
  const run = useTool('run-detail', { projectId, runId });
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const isLocked = run.data?.status === 'locked';
  const mayExecute = mayWrite && !isLocked;
  const execution = useExecution({
    projectId,
    runId,
    query: query === '' ? undefined : query,
    userId: me?.userId ?? 0,
  });
  const { tests, set, undo, error } = execution;
  const [chosen, setChosen] = useState<number | null>(Number(address.get('test')) || null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  useTitle(run.data?.runName ?? 'Run');

  // By its id: others may add tests before it, and a key must never mean another test than the one on the screen.
  const wanted = Number(address.get('test')) || null;
  const current = chosen === null ? -1 : tests.order.indexOf(chosen);
  const selected = current < 0 ? undefined : tests.order[current];
  const setCurrent = (index: number) => setChosen(tests.order[index] ?? null);
  const isWhole = tests.order.length === execution.total;
  useEffect(() => {
    if (current < 0 && (chosen === null || isWhole)) setChosen(tests.order[0] ?? null);
  }, [tests.order, current, chosen, isWhole]);
  useEffect(() => {
    if (selected === undefined || selected === wanted) return;
    const timer = setTimeout(() => change({ test: String(selected) }), settleMs);
    return () => clearTimeout(timer);
  }, [selected, wanted, change]);

  const go = (index: number) => {
    if (index >= 0 && index < tests.order.length) setCurrent(index);
  };
  const setStatus = (key: string) => () => {
    const status = statusKeys[key];
    if (mayExecute && selected !== undefined && status) void set(selected, status);
  };
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    n: () => go(nextUntested(tests, current)),
    c: () => comment.current?.focus(),
    z: () => {
      const at = mayExecute ? undo() : undefined;
      if (at !== undefined) go(tests.order.indexOf(at));
    },
    '?': () => setHelpOpen(true),
    ...Object.fromEntries(Object.keys(statusKeys).map((key) => [key, setStatus(key)])),
  });

  if (run.error && !run.data) return <Failure error={run.error} onRetry={() => void run.refetch()} />;
  if (!run.data) return <Loading />;
  const counts = countsWith(run.data.counts, tests);
  const isWrongQuery = query !== '' && error instanceof Refusal && error.status === 400;
  const row = selected === undefined ? undefined : tests.rows.get(selected);

  const columns: ReadonlyArray<Column<RunTest>> = [
    {
      key: 'id',
      title: 'ID',
      width: '4.5rem',
      cell: ({ testId }) => <span className="number">{testId}</span>,
    },
    {
      key: 'name',
      title: 'Name',
      width: 'minmax(12rem, 3fr)',
      cell: ({ testName, isDeleted }) => (
        <>
          {testName} {isDeleted && <span className="badge">deleted</span>}
        </>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      width: '7rem',
      cell: ({ testId }) => <Status of={statusOf(tests, testId)} />,
    },
    {
      key: 'section',
      title: 'Section',
      width: 'minmax(7rem, 1.5fr)',
      cell: ({ sectionPath }) => sectionPath.join(' > '),
    },
    { key: 'priority', title: 'Priority', width: '5.5rem', cell: ({ priority }) => priority ?? '–' },
    { key: 'at', title: 'Result', width: '8rem', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];

  const list = (
    <div className="stack">
      <QueryBox
        tool="get-run-tests-list"
        label="Search tests of the run"
        value={query}
        onApply={(text) => {
          setChosen(null);
          change({ query: text, test: null }, { push: true });
        }}
        error={isWrongQuery ? messageOf(error) : undefined}
      />
      {error !== null && !isWrongQuery && tests.order.length === 0 ? (
        <Failure error={error} onRetry={execution.reload} />
      ) : execution.total === undefined && !isWrongQuery ? (
        <Loading />
      ) : tests.order.length === 0 ? (
        <Empty title="No test is found">
          <p>Change the query, or add tests to the run.</p>
        </Empty>
      ) : (
        <>
          {error !== null && (
            <Alert kind="error">
              {tests.order.length} of {execution.total} tests are shown: {messageOf(error)}{' '}
              <Button small onPress={execution.reload}>
                Try again
              </Button>
            </Alert>
          )}
          <Grid
            label="Tests of the run"
            columns={columns}
            total={tests.order.length}
            rowAt={(index) => tests.rows.get(tests.order[index] ?? 0)}
            idOf={({ testId }) => testId}
            current={current}
            onCurrent={setCurrent}
            height="60vh"
          />
        </>
      )}
    </div>
  );

  return (
    <div className="run">
      <div className="run-main">
        <div className="between">
          <h1>{run.data.runName}</h1>
          <div className="row">
            {isLocked && <span className="badge">locked</span>}
            <span className="badge" title="Changes of others appear by themselves">
              {execution.isLive ? 'live' : 'connecting…'}
            </span>
            <RunActions
              run={run.data}
              mayWrite={mayWrite}
              selected={row}
              onChanged={execution.reload}
              onKeys={() => setHelpOpen(true)}
            />
          </div>
        </div>
        {run.data.runDescription !== '' && <p className="note wrap">{run.data.runDescription}</p>}
        <div className="run-head">
          <Donut counts={counts} size={88} />
          <div className="stack tight">
            <p>
              <strong className="number">
                {percent(counts.total - counts.untested - counts.retest, counts.total)}
              </strong>{' '}
              done: {counts.untested + counts.retest} of {counts.total} are open
            </p>
            <ul className="run-counts" aria-label="Tests by status">
              {statuses.map((status) => (
                <li key={status}>
                  <button
                    type="button"
                    aria-pressed={query === `status:${status}`}
                    onClick={() => {
                      setChosen(null);
                      change({ query: query === `status:${status}` ? null : `status:${status}`, test: null });
                    }}
                  >
                    <span className={`status of-${status}`}>{wordOf(status)}</span>
                    <span className="number">{counts[status]}</span>
                  </button>
                </li>
              ))}
            </ul>
          </div>
        </div>
        <Tabs
          label="About the run"
          selected={view}
          onChange={(id) => change({ view: id === 'tests' ? null : id })}
          tabs={[
            { id: 'tests', name: 'Tests', content: list },
            {
              id: 'summary',
              name: 'Sections and squads',
              content: <RunSummary projectId={projectId} runId={runId} />,
            },
            {
              id: 'compare',
              name: 'New and fixed',
              content: <RunCompare projectId={projectId} runId={runId} />,
            },
          ]}
        />
      </div>
      {row !== undefined && (
        <RunPanel
          key={row.testId}
          projectId={projectId}
          runId={runId}
          row={row}
          status={statusOf(tests, row.testId)}
          mayExecute={mayExecute}
          mayWrite={mayWrite}
          isLocked={isLocked}
          comment={comment}
          onStatus={(status, text) => set(row.testId, status, text)}
        />
      )}
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}
