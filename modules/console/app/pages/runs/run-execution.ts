import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { wholeRows } from '../../api/whole-rows.ts';
import { wordOf, type TestStatus } from '../../design/status.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useRunChanges } from './run-follow.ts';
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

/** Tests of one request. */
const pageSize = 500;

interface Wanted {
  readonly projectId: number;
  readonly runId: number;
  /** undefined: all tests. */
  readonly query: string | undefined;
  readonly userId: number;
}

const rowsOf = ({ tests }: Output<'get-run-tests-list'>): readonly RunTest[] => wholeRows(tests);

/** The tests of a run, which follow what others do, and what this person does with them. */
export function useExecution({ projectId, runId, query, userId }: Wanted) {
  const client = useQueryClient();
  const [tests, setTests] = useState<RunTests>(noTests);
  const [error, setError] = useState<unknown>(null);
  const [total, setTotal] = useState<number | undefined>();
  const [loading, setLoading] = useState(0);
  const [since, setSince] = useState<string | undefined>();
  // What calls that are under way read: a closure would have the state of its render.
  const now = useRef(tests);
  const undone = useRef<Array<{ readonly testId: number; readonly before: TestStatus }>>([]);
  const writing = useRef<Promise<unknown>>(Promise.resolve());
  const change = useCallback((next: (tests: RunTests) => RunTests) => {
    now.current = next(now.current);
    setTests(now.current);
  }, []);

  useEffect(() => {
    const over = new AbortController();
    const read = async () => {
      // Before the list: what is stored while it is read comes as a change.
      const { cursor } = await call('get-run-changes', { projectId, runId }, over.signal);
      if (!over.signal.aborted) setSince((known) => known ?? cursor);
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
        if (offset === 0) change(() => ({ ...noTests, pending: now.current.pending }));
        change((before) => withPage(before, rowsOf(page)));
        setTotal(page.total);
        setError(null);
        offset += page.tests.length;
        if (page.tests.length === 0 || offset >= page.total) return;
      }
    };
    read().catch((reason: unknown) => {
      if (!over.signal.aborted) setError(reason);
    });
    return () => over.abort();
  }, [projectId, runId, query, loading, change]);

  const setRun = (run: Output<'run-detail'>) =>
    client.setQueryData(['run-detail', { projectId, runId }], run);
  const isLive = useRunChanges({ projectId, runId, since }, ({ run, results, membershipChanged }) => {
    setRun(run);
    change((before) => withChanges(before, results));
    if (membershipChanged) setLoading((count) => count + 1);
  });

  // What is on its way would be lost with the window.
  const isStoring = tests.pending.size > 0;
  useEffect(() => {
    if (!isStoring) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isStoring]);

  const reread = async (testId: number): Promise<RunTest | undefined> =>
    rowsOf(await call('get-run-tests-list', { projectId, runId, query: `id:${testId}` }))[0];

  const store = async (testId: number, status: TestStatus, comment: string | undefined): Promise<boolean> => {
    const row = now.current.rows.get(testId);
    if (!row) return false;
    try {
      const result = { testId, status, seenAt: row.updatedAt, ...(comment === undefined ? {} : { comment }) };
      const run = await call('run-update-test-status', { projectId, runId, testResults: [result] });
      setRun(run);
      const stored = { status, comment: comment ?? row.comment, updatedBy: userId, updatedAt: run.updatedAt };
      change((before) => settled(before, testId, { ...row, ...stored }));
      return true;
    } catch (reason) {
      change((before) => settled(before, testId));
      if (reason instanceof Refusal && reason.code === 'RESULT_CHANGED') {
        const theirs = await reread(testId).catch(() => undefined);
        if (theirs) change((before) => withChanges(before, [theirs]));
        say(
          `${row.testName}: somebody set it to ${theirs ? wordOf(theirs.status).toLowerCase() : 'another status'} meanwhile. Yours was not stored.`,
          { name: `Set to ${wordOf(status).toLowerCase()}`, run: () => set(testId, status, comment) },
        );
      } else sayError(reason);
      return false;
    }
  };
  /** Sets the status of a test: seen at once, stored one after the other. */
  const set = (testId: number, status: TestStatus, comment?: string): Promise<boolean> => {
    const before = statusOf(now.current, testId);
    if (before === status && comment === undefined) return Promise.resolve(true);
    undone.current.push({ testId, before });
    change((tests) => withPending(tests, testId, status));
    const done = writing.current.then(() => store(testId, status, comment));
    writing.current = done;
    return done;
  };
  /** Takes back the last status that this person set here. @returns the test. */
  const undo = (): number | undefined => {
    const last = undone.current.pop();
    if (!last) return undefined;
    void set(last.testId, last.before);
    undone.current.pop();
    return last.testId;
  };
  return { tests, total, error, isLive, set, undo, reload: () => setLoading((count) => count + 1) };
}
