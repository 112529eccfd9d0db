import { useDeferredValue, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useMe, useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { announce } from '../../design/announcer.tsx';
import { PaneDivider, usePanelWidth } from '../../design/pane-divider.tsx';
import { PageLoading } from '../../design/states.tsx';
import { statuses, wordOf, type TestStatus } from '../../design/status.tsx';
import { say } from '../../design/toast.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useTitle } from '../../design/window-title.ts';
import { useKeys } from '../../frame/keys.ts';
import { useMay } from '../../frame/organizations.ts';
import { useReachable } from '../../frame/reachable.ts';
import { useAddress } from '../../frame/router.tsx';
import { RunFailures } from '../triage/run-failures.tsx';
import { KeyHelp } from './key-help.tsx';
import { RunActions } from './run-actions.tsx';
import { RunAssign } from './run-assign.tsx';
import { useChosenTest, type ChosenTest } from './run-choice.ts';
import { RunCompare } from './run-compare.tsx';
import type { ResultNote } from './waiting/result-outbox.ts';
import { useExecution, type Execution } from './run-execution.ts';
import { RunHead } from './run-head.tsx';
import { RunList } from './run-list.tsx';
import { RunPeople } from './run-people.tsx';
import { useRunPlace } from './run-follow.ts';
import { RunPanel } from './run-panel.tsx';
import { RunSummary } from './run-summary.tsx';
import { countsWith, nextUntested, keyOfStatus, statusOf } from './run-tests.ts';
import { RunUnmatched } from './run-unmatched.tsx';
import { isDeletedRun, RunFailure } from './run-deleted.tsx';
import { KeptResults } from './waiting/kept-results.tsx';
import './runs.css';
import { t } from '../../texts/text.ts';

interface RunPageProps {
  readonly projectId: number;
  readonly runId: number;
}

const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Results that were set meanwhile are kept, and sent when the server is back. */
const offlineText = (waiting: number): string =>
  waiting === 0 ? t('offline') : t('offline, {results} waiting', { results: countText(waiting, 'result') });

/** The list shows first what a key has done; the panel, which is most of the work, follows in a later paint, unless it is needed `now`. */
function Afterwards({ now, children }: { readonly now: boolean; readonly children: ReactNode }) {
  const later = useDeferredValue(children);
  return now ? children : later;
}

/** A run: execution by keyboard, and what comes of it. */
export default function RunPage({ projectId, runId }: RunPageProps) {
  const [address, change] = useAddress();
  const query = address.get('query') ?? '';
  const userId = useMe().data?.userId ?? 0;
  const run = useTool('run-detail', { projectId, runId });
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const isLocked = run.data?.status === 'locked';
  const mayExecute = mayWrite && !isLocked;
  const execution = useExecution({ projectId, runId, query: query === '' ? undefined : query, userId });
  const { tests, set } = execution;
  const choice = useChosenTest(tests, execution.total);
  const { row, placeOf, nameOf } = choice;
  const [isHelpOpen, setHelpOpen] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const isReachable = useReachable();
  const panelWidth = usePanelWidth();
  useTitle(run.data?.runName ?? t('Run'));
  const setStatus = (testId: number, status: TestStatus | null, said?: ResultNote) => {
    announce(`${wordOf(status ?? statusOf(tests, testId))}: ${nameOf(testId)}, ${placeOf(testId)}`);
    return set(testId, status, said, row?.testId === testId ? row : undefined);
  };
  // The test whose panel must not be behind: somebody types into it. In the panel of another test, keys would be commands in mid-word.
  const [typedInto, setTypedInto] = useState<number | undefined>();
  const onComment = () => {
    flushSync(() => setTypedInto(choice.selected));
    comment.current?.focus();
  };
  const statusNow = (testId: number) => statusOf(tests, testId);
  const press = usePress(choice, { setStatus, statusNow, undo: execution.undo });
  useRunPlace(runId, choice.selected, execution.isLive);
  useRunKeys({ execution, choice, mayExecute, setStatus, onComment, onHelp: () => setHelpOpen(true) });

  // Also while it was open: somebody else may delete it.
  if (run.error && (!run.data || isDeletedRun(run.error)))
    return <RunFailure {...{ projectId, runId, mayWrite }} of={run} />;
  // Without the project, nobody knows whether this person may execute the run, and keys would do nothing.
  if (!run.data || project.isPending) return <PageLoading />;
  const search = (text: string | null, push = true) => {
    choice.chooseNone();
    change({ query: text, test: null }, { push });
  };
  const ids = { projectId, runId };
  const { unmatched } = run.data;
  return (
    <div className={choice.isOpen ? 'run with-test' : 'run'} style={panelWidth}>
      <RunHead run={run.data} counts={countsWith(run.data.counts, tests)} query={query} onQuery={search}>
        {isLocked && <span className="badge">{t('locked')}</span>}
        <span className="badge screen-only" title={t('Changes of others appear by themselves')}>
          {!isReachable ? offlineText(tests.pending.size) : execution.isLive ? t('live') : t('connecting…')}
        </span>
        <RunPeople others={execution.others} />
        {mayExecute && (
          <RunAssign
            {...ids}
            query={query}
            selected={row}
            count={tests.order.length}
            onChanged={execution.reload}
          />
        )}
        <RunActions
          run={run.data}
          mayWrite={mayWrite}
          selected={row}
          onChanged={execution.reload}
          onKeys={() => setHelpOpen(true)}
        />
      </RunHead>
      <div className="run-main">
        <KeptResults
          kept={execution.kept}
          rows={execution.tests.rows}
          isOpen={mayExecute && !run.error}
          onSend={execution.sendKept}
          onDrop={execution.dropKept}
        />
        <RunTabs
          {...ids}
          mayWrite={mayWrite}
          choice={choice}
          isFailing={row !== undefined && statusOf(tests, row.testId) === 'failed'}
          unmatched={unmatched && totalOf(unmatched)}
        >
          <RunList
            {...ids}
            execution={execution}
            choice={choice}
            query={query}
            mayWrite={mayWrite}
            onQuery={search}
            onPause={(text) => search(text, false)}
          />
        </RunTabs>
      </div>
      {row !== undefined && <PaneDivider label={t('Width of the test')} />}
      {row !== undefined && (
        <Afterwards now={typedInto === row.testId}>
          <RunPanel
            key={row.testId}
            {...ids}
            row={row}
            status={statusOf(tests, row.testId)}
            mayExecute={mayExecute}
            mayWrite={mayWrite}
            isLocked={isLocked}
            comment={comment}
            onStatus={(status, said) => setStatus(row.testId, status, said)}
            onPressed={press}
            place={placeOf(row.testId)}
            others={execution.others}
            onBack={choice.close}
            onMove={(by) => choice.go(choice.current + by)}
          />
        </Afterwards>
      )}
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

/** How soon after a tap another one is taken for the same: the next test has its buttons in the same place. */
const doubleTapMs = 300;

interface Pressing {
  readonly setStatus: (testId: number, status: TestStatus) => unknown;
  readonly statusNow: (testId: number) => TestStatus;
  readonly undo: (of: number) => unknown;
}

/** A button of a status. On a telephone, where the test is the whole screen, the next one follows, and a message says what was set. */
function usePress({ isOpen, row, current, go }: ChosenTest, { setStatus, statusNow, undo }: Pressing) {
  const pressedAt = useRef(-Infinity);
  return (status: TestStatus, at: number) => {
    if (row === undefined || (isOpen && at - pressedAt.current < doubleTapMs)) return;
    pressedAt.current = at;
    const isNew = statusNow(row.testId) !== status;
    setStatus(row.testId, status);
    if (!isOpen) return;
    go(current + 1);
    if (!isNew) return;
    const takeBack = () => {
      undo(row.testId);
      go(current);
    };
    say(`${row.testName}: ${wordOf(status)}`, { name: t('Undo'), run: takeBack }, 'result');
  };
}

interface RunTabsProps extends RunPageProps {
  readonly mayWrite: boolean;
  readonly choice: ChosenTest;
  /** The test in the panel fails. */
  readonly isFailing: boolean;
  /** How many results have no test; undefined: no pipeline reported. */
  readonly unmatched: number | undefined;
  /** The tests. */
  readonly children: ReactNode;
}

function RunTabs({ unmatched, mayWrite, choice, isFailing, children, ...ids }: RunTabsProps) {
  const [address, change] = useAddress();
  const tabs = [
    { id: 'tests', name: t('Tests'), content: children },
    { id: 'summary', name: t('Sections and squads'), content: <RunSummary {...ids} /> },
    {
      id: 'failures',
      name: t('Failures'),
      content: <RunFailures {...ids} mayWrite={mayWrite} onTest={choice.show} onFirst={choice.chooseTest} />,
    },
    { id: 'compare', name: t('New and fixed'), content: <RunCompare {...ids} /> },
  ];
  const without = {
    id: 'unmatched',
    name: t('Without a test {unmatched}', { unmatched: numberText(unmatched ?? 0) }),
    content: <RunUnmatched {...ids} />,
  };
  return (
    <Tabs
      label={t('About the run')}
      fills
      selected={address.get('view') ?? 'tests'}
      onChange={(id) =>
        change({
          view: id === 'tests' ? null : id,
          // The failures are those of the whole run, and another test does not belong beside them.
          ...(id === 'failures' && { query: null, ...(!isFailing && { test: null }) }),
        })
      }
      tabs={unmatched === undefined ? tabs : [...tabs, without]}
    />
  );
}

interface RunKeys {
  readonly execution: Execution;
  readonly choice: ChosenTest;
  readonly mayExecute: boolean;
  readonly setStatus: (testId: number, status: TestStatus) => unknown;
  readonly onComment: () => void;
  readonly onHelp: () => void;
}

/** A run is executed by keys alone: one key a test. With Shift the test stays, e.g. to write a comment. */
function useRunKeys({ execution, choice, mayExecute, setStatus, onComment, onHelp }: RunKeys): void {
  const { tests, undo } = execution;
  const { current, selected, go, choose, nameOf, placeOf } = choice;
  const takeBack = () => {
    const back = mayExecute ? undo() : undefined;
    if (back === undefined) return;
    const index = tests.order.indexOf(back.testId);
    if (index >= 0) choose(index);
    if (!back.isUndone) return;
    announce(
      t('Undone, {status}: {testId}', {
        status: wordOf(back.status).toLowerCase(),
        testId: nameOf(back.testId),
      }),
    );
  };
  const statusKey = (status: TestStatus, stays: boolean) => () => {
    if (!mayExecute || selected === undefined) return;
    setStatus(selected, status);
    const next = stays ? undefined : tests.order[current + 1];
    if (next === undefined) return;
    choose(current + 1);
    announce(
      t('{status}: {test}. Next: {nextTest}, {place}', {
        status: wordOf(status),
        test: nameOf(selected),
        nextTest: nameOf(next),
        place: placeOf(next),
      }),
    );
  };
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    n: () => go(nextUntested(tests, current)),
    c: onComment,
    z: takeBack,
    '?': onHelp,
    ...Object.fromEntries(
      statuses.flatMap((status) => [
        [keyOfStatus[status], statusKey(status, false)],
        [keyOfStatus[status].toUpperCase(), statusKey(status, true)],
      ]),
    ),
  });
}
