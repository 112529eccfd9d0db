import type { Output } from '../../api/calls.ts';
import type { Counts, TestStatus } from '../../design/status.tsx';

type Listed = Output<'get-run-tests-list'>['tests'][number];
/** A test of a run: `fields` was not given, so all of it is there. */
export type RunTest = Required<Listed>;

/** The tests of a run as a page has them. */
export interface RunTests {
  readonly rows: ReadonlyMap<number, RunTest>;
  /** Their ids in the order of the list. */
  readonly order: readonly number[];
  /** What this person has set last and the server has not answered yet. */
  readonly pending: ReadonlyMap<number, Pending>;
}

interface Pending {
  readonly status: TestStatus;
  /** Counts what is set: an earlier answer settles no later one. */
  readonly nth: number;
}

export const noTests: RunTests = { rows: new Map(), order: [], pending: new Map() };

const changed = <K, V>(map: ReadonlyMap<K, V>, change: (map: Map<K, V>) => void): ReadonlyMap<K, V> => {
  const copy = new Map(map);
  change(copy);
  return copy;
};

/** With a page of the list, after those before. A page that came before replaces its rows. */
export function withPage(tests: RunTests, page: readonly RunTest[]): RunTests {
  const fresh = page.map(({ testId }) => testId).filter((id) => !tests.rows.has(id));
  return {
    ...tests,
    rows: changed(tests.rows, (rows) => page.forEach((row) => rows.set(row.testId, row))),
    order: fresh.length === 0 ? tests.order : [...tests.order, ...fresh],
  };
}

/** With what others changed. A test that the page does not show, because a query left it out, stays out. */
export const withChanges = (tests: RunTests, changes: readonly RunTest[]): RunTests => ({
  ...tests,
  rows: changed(tests.rows, (rows) =>
    changes.forEach((row) => {
      const before = rows.get(row.testId);
      // An event may come after a newer answer.
      if (before && (before.updatedAt ?? '') <= (row.updatedAt ?? '')) rows.set(row.testId, row);
    }),
  ),
});

export const withPending = (tests: RunTests, id: number, pending: Pending): RunTests => ({
  ...tests,
  pending: changed(tests.pending, (all) => void all.set(id, pending)),
});

/** The server has answered what was set as the nth: stored, or refused without `row`. A row that the list does not show stays out. */
export const settled = (tests: RunTests, id: number, nth: number, row?: RunTest): RunTests => ({
  ...tests,
  rows: row && tests.rows.has(id) ? changed(tests.rows, (rows) => void rows.set(id, row)) : tests.rows,
  pending:
    tests.pending.get(id)?.nth === nth
      ? changed(tests.pending, (pending) => void pending.delete(id))
      : tests.pending,
});

/** The status of a test as the person sees it. */
export const statusOf = (tests: RunTests, id: number): TestStatus =>
  tests.pending.get(id)?.status ?? tests.rows.get(id)?.status ?? 'untested';

/** Counts of the server with what is on its way to it. */
export function countsWith(counts: Counts, tests: RunTests): Counts {
  const sum = { ...counts };
  for (const [id, { status }] of tests.pending) {
    const stored = tests.rows.get(id)?.status;
    if (stored === undefined || stored === status) continue;
    sum[stored] -= 1;
    sum[status] += 1;
  }
  return sum;
}

/** The index of the next untested test after one, from the beginning again at the end; -1: there is none. */
export function nextUntested(tests: RunTests, index: number): number {
  const { order } = tests;
  for (let step = 1; step <= order.length; step++) {
    const at = (index + step) % order.length;
    const id = order[at];
    if (id !== undefined && statusOf(tests, id) === 'untested') return at;
  }
  return -1;
}

/** The key of each status. */
export const keyOfStatus: Readonly<Record<TestStatus, string>> = {
  passed: 'p',
  failed: 'f',
  blocked: 'b',
  retest: 'r',
  untested: 'u',
};
