import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, isRefused, isSignedOutError, Refusal, Unreachable } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { wholeRows } from '../../api/pages.ts';
import { messageOf, useRefresh } from '../../api/queries.ts';
import { randomWord } from '../../api/random-word.ts';
import { wordOf, type TestStatus } from '../../design/status.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useHeld } from '../../api/unsaved.ts';
import {
  dropResult,
  keepResult,
  reachableAgain,
  waitingOf,
  type Outbox,
  type ResultNote,
  type WaitingResult,
} from './waiting/result-outbox.ts';
import { useKeptResults } from './waiting/kept-results.tsx';
import { useRunChanges, type RunPerson } from './run-follow.ts';
import {
  noTests,
  settled,
  statusOf,
  withChanges,
  withPage,
  withPending,
  type RunTest,
  type RunTests,
} from './run-tests.ts';
import { t } from '../../texts/text.ts';

/** What the page shows beside the results. */
const evidenceTools = ['list-attachments', 'list-links'] as const;

/** What the page reads first. */
const runTools = ['run-detail'] as const;

/** Tests per request. */
const pageSize = 500;

/** A status that this person set. */
interface Entry extends WaitingResult {
  readonly before: TestStatus;
  /** The test as the person saw it; undefined for a result that waited in the browser. */
  readonly seen: RunTest | undefined;
  readonly nth: number;
}

interface Wanted {
  readonly projectId: number;
  readonly runId: number;
  /** undefined: all tests. */
  readonly query: string | undefined;
  readonly userId: number;
}

const rowsOf = ({ tests }: Output<'get-run-tests-list'>): readonly RunTest[] => wholeRows(tests);

/** The tests of a run, which follow what others do, and what this person does with them. */
export function useExecution(wanted: Wanted) {
  const { projectId, runId } = wanted;
  const held = useHeldTests();
  const list = useRunList(wanted, held);
  const client = useQueryClient();
  const refreshRun = useRefresh(runTools);
  const refreshEvidence = useRefresh(evidenceTools);
  // A change of a run does not say what a pipeline reported besides.
  const setRun = (run: Output<'run-detail'>) =>
    client.setQueryData<Output<'run-detail'>>(['run-detail', { projectId, runId }], (known) => ({
      ...known,
      ...run,
    }));
  const [people, setPeople] = useState<readonly RunPerson[]>([]);
  const isLive = useRunChanges(
    { projectId, runId, since: list.since },
    {
      onChanges: ({ run, results, membershipChanged }) => {
        setRun(run);
        for (const row of results) held.late.current.set(row.testId, row);
        held.change((before) => withChanges(before, results));
        if (membershipChanged) list.reload();
        // A change of a run without results may be a file or a link.
        refreshEvidence({ projectId });
      },
      onPeople: setPeople,
      onAccess: () => refreshRun({ projectId, runId }),
    },
  );
  // Without the page, results that are not sent yet wait until this person opens the run in this browser again.
  useHeld(`results of run:${runId}`, held.tests.pending.size > 0);
  const writes = useStatusWrites(wanted, held, setRun, () => refreshRun({ projectId, runId }));
  const { total, error, reload } = list;
  const others = people.filter(({ userId }) => userId !== wanted.userId);
  return { tests: held.tests, total, error, isLive, others, reload, ...writes };
}

export type Execution = ReturnType<typeof useExecution>;

/** The tests as the page has them, also for calls in flight: a closure would see the state of its render. */
function useHeldTests() {
  const [tests, setTests] = useState<RunTests>(noTests);
  const now = useRef(tests);
  // Changes that arrived while the list was read: a page may have been read before them.
  const late = useRef(new Map<number, RunTest>());
  const change = useCallback((next: (tests: RunTests) => RunTests) => {
    now.current = next(now.current);
    setTests(now.current);
  }, []);
  return { tests, now, late, change };
}

type HeldTests = ReturnType<typeof useHeldTests>;

/** Reads the list, page by page, and again when the tests of the run are others. */
function useRunList({ projectId, runId, query }: Wanted, { late, change }: HeldTests) {
  const [error, setError] = useState<unknown>(null);
  const [total, setTotal] = useState<number | undefined>();
  const [loading, setLoading] = useState(0);
  const [since, setSince] = useState<string | undefined>();
  const shownQuery = useRef<string | null | undefined>(null);
  useEffect(() => {
    const over = new AbortController();
    const read = async () => {
      // Before the list is read: writes during the read arrive as changes.
      const { cursor } = await call('get-run-changes', { projectId, runId }, over.signal);
      if (!over.signal.aborted) setSince((known) => known ?? cursor);
      late.current.clear();
      // The same list again replaces the one before as a whole, so that the person stays where they are.
      const isAgain = shownQuery.current === query;
      let whole = noTests;
      for (let offset = 0; ;) {
        const input = {
          projectId,
          runId,
          limit: pageSize,
          offset,
          ...(query === undefined ? {} : { query }),
        };
        const page = await call('get-run-tests-list', input, over.signal);
        if (over.signal.aborted) return;
        whole = withPage(whole, rowsOf(page));
        offset += page.tests.length;
        const isWhole = page.tests.length === 0 || offset >= page.total;
        if (!isAgain || isWhole) {
          const shown = whole;
          change(({ pending }) => withChanges({ ...shown, pending }, [...late.current.values()]));
          setTotal(page.total);
        }
        setError(null);
        shownQuery.current = query;
        if (isWhole) return;
      }
    };
    read().catch(async (reason: unknown) => {
      if (over.signal.aborted) return;
      setError(reason);
      if (!(reason instanceof Unreachable)) return;
      await reachableAgain();
      if (!over.signal.aborted) setLoading((times) => times + 1);
    });
    return () => over.abort();
  }, [projectId, runId, query, loading, change]);
  return { total, error, since, reload: () => setLoading((times) => times + 1) };
}

/** Whether a result is kept and sent again: the server, its database or the session may be back. */
const mayComeBack = (reason: unknown): boolean =>
  reason instanceof Unreachable ||
  isSignedOutError(reason) ||
  (reason instanceof Refusal && reason.status === 503);

/** The run takes no results now, and may take them again: it is unlocked, restored or active, or the person gets the role back. */
const closedCodes: ReadonlySet<string> = new Set([
  'RUN_LOCKED',
  'RUN_NOT_FOUND',
  'PROJECT_INACTIVE',
  'READ_ONLY',
  'FORBIDDEN',
]);
const isClosedRun = (reason: unknown): boolean => reason instanceof Refusal && closedCodes.has(reason.code);

/** A test of the run as the server has it; undefined if it cannot be read. */
const storedRow = (run: Pick<Wanted, 'projectId' | 'runId'>, testId: number) =>
  call('get-run-tests-list', { ...run, query: `id:${testId}` }).then(
    (list) => rowsOf(list)[0],
    () => undefined,
  );

/** The time of the test that the person has seen. Their own last result may be newer than the list, or the list newer than what waits. */
function seenByNow(outbox: Outbox, entry: Entry, latest: RunTest | undefined): string | null {
  const { seenAt } = waitingOf(outbox).find(({ id }) => id === entry.id) ?? entry;
  const isNewer = latest?.updatedBy === outbox.userId && (latest.updatedAt ?? '') > (seenAt ?? '');
  return isNewer ? latest.updatedAt : seenAt;
}

const setText = (status: TestStatus) => t('Set to {status}', { status: wordOf(status).toLowerCase() });

/** @param theirs undefined if it cannot be read. */
function sayOvertaken(
  name: string,
  theirs: TestStatus | undefined,
  again: { readonly name: string; readonly run: () => void },
): void {
  const status = theirs ? wordOf(theirs).toLowerCase() : t('another status');
  say(t('{name}: somebody set it to {status} meanwhile. Yours was not stored.', { name, status }), again);
}

/** With what was set and said: it may have waited for the network for an hour, and is nowhere else. */
function sayLost(name: string, { status, said }: WaitingResult, reason: unknown): void {
  const lost = [name, wordOf(status), ...(said.comment === undefined ? [] : [said.comment])].join(', ');
  sayError(new Error(`${lost}: ${messageOf(reason)}`));
}

interface WriterProps extends Pick<Wanted, 'projectId' | 'runId' | 'userId'> {
  readonly held: Pick<HeldTests, 'now' | 'change'>;
  readonly setRun: (run: Output<'run-detail'>) => void;
  readonly onRefused: (entry: Entry) => void;
  /** The run takes no results now: this one stays in the browser. */
  readonly onKept: (kept: { readonly entry: Entry; readonly name: string; readonly reason: unknown }) => void;
  /** The person wants it although somebody else has changed it. */
  readonly onAgain: (entry: Entry) => void;
}

/** Stores one result after the other, waits for a server that is out of reach, and shows what was refused. */
function useResultQueue({ projectId, runId, userId, held, setRun, onRefused, onKept, onAgain }: WriterProps) {
  const { now, change } = held;
  const outbox = { userId, runId };
  const writing = useRef<Promise<unknown>>(Promise.resolve());
  const store = async (entry: Entry): Promise<boolean> => {
    const { testId, status, said, nth } = entry;
    // What the person saw when the key was pressed, and newer only if it is their own.
    const latest = now.current.rows.get(testId);
    const row = latest?.updatedBy === userId ? latest : (entry.seen ?? latest);
    const seenAt = seenByNow(outbox, entry, latest);
    try {
      const testResults = [{ testId, status, seenAt, ...said }];
      const run = await call('run-update-test-status', { projectId, runId, testResults });
      setRun(run);
      // A result without a change leaves the run as somebody else left it.
      const stored = {
        status,
        comment: said.comment ?? row?.comment ?? null,
        updatedBy: userId,
        updatedAt: run.updatedAt,
      };
      change((before) =>
        settled(
          before,
          testId,
          nth,
          row && (run.updatedBy === userId ? { ...row, ...stored } : { ...row, status }),
        ),
      );
      // After a reload the answer may come before the list of tests.
      const storedAt = run.updatedBy === userId ? run.updatedAt : undefined;
      dropResult(outbox, entry, storedAt ?? now.current.rows.get(testId)?.updatedAt);
      return true;
    } catch (reason) {
      if (mayComeBack(reason)) {
        // With what was seen by now.
        keepResult(outbox, { ...entry, seenAt });
        await reachableAgain();
        return store(entry);
      }
      onRefused(entry);
      if (isClosedRun(reason)) {
        change((before) => settled(before, testId, nth));
        onKept({ entry, name: nameOf(entry), reason });
        return false;
      }
      await refuse(entry, reason);
      return false;
    }
  };
  const nameOf = ({ testId, seen }: Pick<Entry, 'testId' | 'seen'>): string =>
    (seen ?? now.current.rows.get(testId))?.testName ?? t('Test {testId}', { testId });
  /** Shows the stored status instead, and whose it is. */
  const refuse = async (entry: Entry, reason: unknown): Promise<void> => {
    const { testId, status, said, nth, seen } = entry;
    const isChanged = isRefused(reason, 'RESULT_CHANGED');
    const theirs = isChanged ? await storedRow({ projectId, runId }, testId) : undefined;
    const isOwn = theirs?.updatedBy === userId;
    dropResult(outbox, entry, isOwn ? theirs.updatedAt : undefined);
    change((before) => settled(before, testId, nth, theirs));
    const name = nameOf({ testId, seen: seen ?? theirs });
    if (!isChanged) return sayLost(name, entry, reason);
    // Stored before, and the answer was lost.
    if (isOwn && theirs.status === status && (said.comment ?? theirs.comment) === theirs.comment)
      return undefined;
    sayOvertaken(name, theirs?.status, { name: setText(status), run: () => onAgain(entry) });
  };
  return (entry: Entry): Promise<boolean> => {
    const { testId, status, nth } = entry;
    change((before) => withPending(before, testId, { status, nth }));
    // Before it is sent: without a network a request hangs for a while, and a telephone ends the page without asking.
    keepResult(outbox, entry);
    const done = writing.current.then(() => store(entry));
    writing.current = done;
    return done;
  };
}

/** The test whose last status was to be taken back, and what it has now. */
interface TakenBack {
  readonly testId: number;
  readonly status: TestStatus;
  /** Not if somebody else has stored a result since, which the page has said. */
  readonly isUndone: boolean;
}

/** What this person sets: seen at once, stored one after the other, and taken back. */
function useStatusWrites(
  wanted: Wanted,
  held: HeldTests,
  setRun: (run: Output<'run-detail'>) => void,
  refreshRun: () => void,
) {
  const { runId, userId } = wanted;
  const { now } = held;
  const undone = useRef<Entry[]>([]);
  const count = useRef(0);
  const { kept, keep, take } = useKeptResults<Entry>();
  const enqueue = useResultQueue({
    ...wanted,
    held,
    setRun,
    onRefused: (entry) => (undone.current = undone.current.filter((one) => one !== entry)),
    onKept: (one) => {
      keep(one);
      refreshRun();
    },
    onAgain: ({ testId, status, said }) => void set(testId, status, said),
  });
  /**
   * Sets the status of a test: seen at once, stored one after the other.
   * @param asked null: the status that the test has now. What shows the test may be a moment behind the keys.
   * @param left the test as it was shown, if it has left the list: the server knows whether it is in the run.
   */
  const set = (
    testId: number,
    asked: TestStatus | null,
    said: ResultNote = {},
    left?: RunTest,
  ): Promise<boolean> => {
    const seen = now.current.rows.get(testId) ?? left;
    if (!seen) return Promise.resolve(false);
    const before = now.current.pending.get(testId)?.status ?? seen.status;
    const status = asked ?? before;
    if (before === status && Object.keys(said).length === 0) return Promise.resolve(true);
    const id = randomWord(16);
    const entry = { id, testId, before, status, said, seen, seenAt: seen.updatedAt, nth: ++count.current };
    undone.current.push(entry);
    return enqueue(entry);
  };
  /**
   * Takes back the last status that this person set here, unless somebody has stored a result since.
   * @param of only if it was of this test: it may have been refused meanwhile.
   */
  const undo = (of?: number): TakenBack | undefined => {
    const last = undone.current.at(-1);
    if (of !== undefined && last?.testId !== of) return undefined;
    const seen = last && now.current.rows.get(last.testId);
    if (!last || !seen) return undefined;
    undone.current = undone.current.slice(0, -1);
    const isOwn = now.current.pending.has(last.testId) || seen.updatedBy === userId;
    const isUndone = isOwn && statusOf(now.current, last.testId) === last.status;
    if (isUndone)
      void enqueue({
        ...last,
        id: randomWord(16),
        status: last.before,
        said: {},
        seen,
        seenAt: seen.updatedAt,
        nth: ++count.current,
      });
    else say(t('{testName} was changed by somebody else meanwhile.', { testName: seen.testName }));
    return { testId: last.testId, status: statusOf(now.current, last.testId), isUndone };
  };
  const sendKept = () => take().forEach((entry) => void enqueue({ ...entry, nth: ++count.current }));
  const dropKept = () => take().forEach((entry) => dropResult({ userId, runId }, entry));
  // What waited when the page was left.
  useEffect(() => {
    for (const one of waitingOf({ userId, runId }))
      void enqueue({ ...one, before: one.status, seen: undefined, nth: ++count.current });
    // Once for a run: the page of another run is another component.
  }, [runId]);
  return { set, undo, kept, sendKept, dropKept };
}
