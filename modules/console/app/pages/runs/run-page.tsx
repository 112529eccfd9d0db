import { useEffect, useRef, useState } from 'react';
import { Refusal } from '../../api/call.ts';
import { messageOf, useMe, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { countText, numberText } from '../../design/amount.ts';
import { announce } from '../../design/announcer.tsx';
import { Grid } from '../../design/grid.tsx';
import { Alert, Empty, Failure, Loading, PageLoading } from '../../design/states.tsx';
import { wordOf, type TestStatus } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { useKeys } from '../../frame/keys.ts';
import { useMay } from '../../frame/organizations.ts';
import { useReachable } from '../../frame/reachable.ts';
import { useAddress, useTitle } from '../../frame/router.tsx';
import { KeyHelp } from './key-help.tsx';
import { RunActions } from './run-actions.tsx';
import { runColumns } from './run-columns.tsx';
import { RunCompare } from './run-compare.tsx';
import { useExecution } from './run-execution.ts';
import { RunHead } from './run-head.tsx';
import { RunPanel } from './run-panel.tsx';
import { RunUnmatched } from './run-unmatched.tsx';
import { RunSummary } from './run-summary.tsx';
import { countsWith, nextUntested, statusKeys, statusOf } from './run-tests.ts';
import './runs.css';

interface RunPageProps {
  readonly projectId: number;
  readonly runId: number;
}

/** How long a test is selected before the address names it: somebody who holds j down changes it once. */
const settleMs = 300;
/** As in runs.css: where the list and the test are two screens. */
const narrow = '(max-width: 64rem)';

const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

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
  const isReachable = useReachable();
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

  const placeOf = (testId: number) => `${tests.order.indexOf(testId) + 1} of ${tests.order.length}`;
  const nameOf = (testId: number) => tests.rows.get(testId)?.testName ?? '';
  const go = (index: number) => {
    const testId = tests.order[index];
    if (testId === undefined) return;
    setCurrent(index);
    announce(`${nameOf(testId)}, ${wordOf(statusOf(tests, testId)).toLowerCase()}, ${placeOf(testId)}`);
  };
  const setStatus = (testId: number, status: TestStatus, text?: string) => {
    announce(`${wordOf(status)}: ${nameOf(testId)}, ${placeOf(testId)}`);
    return set(testId, status, text);
  };
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    n: () => go(nextUntested(tests, current)),
    c: () => comment.current?.focus(),
    z: () => {
      const back = mayExecute ? undo() : undefined;
      if (back === undefined) return;
      const index = tests.order.indexOf(back.testId);
      if (index >= 0) setCurrent(index);
      announce(`Undone, ${wordOf(back.status).toLowerCase()}: ${nameOf(back.testId)}`);
    },
    '?': () => setHelpOpen(true),
    ...Object.fromEntries(
      Object.entries(statusKeys).map(([key, status]) => [
        key,
        () => {
          if (mayExecute && selected !== undefined) void setStatus(selected, status);
        },
      ]),
    ),
  });

  if (run.error && !run.data) return <Failure error={run.error} onRetry={() => void run.refetch()} />;
  if (!run.data) return <PageLoading />;
  const counts = countsWith(run.data.counts, tests);
  const isWrongQuery = query !== '' && error instanceof Refusal && error.status === 400;
  const row = selected === undefined ? undefined : tests.rows.get(selected);
  const search = (text: string | null) => {
    setChosen(null);
    change({ query: text, test: null }, { push: true });
  };
  const columns = runColumns({
    statusOf: (testId) => statusOf(tests, testId),
    addressOf: (testId) => `/projects/${projectId}/runs/${runId}?test=${testId}`,
  });
  // On a telephone the test is a screen of its own, and going back leads to the list.
  const isOpen = address.get('panel') === '1';
  const open = (index: number) => {
    const testId = tests.order[index];
    if (testId !== undefined && matchMedia(narrow).matches)
      change({ test: String(testId), panel: '1' }, { push: true });
  };

  const list = (
    <div className="stack fill">
      <QueryBox
        tool="get-run-tests-list"
        label="Search tests of the run"
        value={query}
        onApply={search}
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
              Only {numberText(tests.order.length)} of {countText(execution.total ?? 0, 'test')} could be
              read: {messageOf(error)}{' '}
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
            onOpen={open}
            height="100%"
          />
        </>
      )}
    </div>
  );

  return (
    <div className={isOpen ? 'run with-test' : 'run'}>
      <div className="run-main">
        <RunHead
          name={run.data.runName}
          description={run.data.runDescription}
          counts={counts}
          query={query}
          onQuery={search}
        >
          {isLocked && <span className="badge">locked</span>}
          <span className="badge" title="Changes of others appear by themselves">
            {!isReachable ? 'offline' : execution.isLive ? 'live' : 'connecting…'}
          </span>
          <RunActions
            run={run.data}
            mayWrite={mayWrite}
            selected={row}
            onChanged={execution.reload}
            onKeys={() => setHelpOpen(true)}
          />
        </RunHead>
        <Tabs
          label="About the run"
          fills
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
            ...(run.data.unmatched === undefined
              ? []
              : [
                  {
                    id: 'unmatched',
                    name: `Without a test ${numberText(totalOf(run.data.unmatched))}`,
                    content: <RunUnmatched projectId={projectId} runId={runId} />,
                  },
                ]),
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
          onStatus={(status, text) => setStatus(row.testId, status, text)}
          place={placeOf(row.testId)}
          onBack={() => change({ panel: null })}
          onMove={(by) => go(current + by)}
        />
      )}
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}
