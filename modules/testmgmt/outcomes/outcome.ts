import type { TestStatus } from '../rules/test-status.ts';

/*
 * The summary of all results of one test (docs/decisions/results-by-test.md). The store implements the same rule in SQL;
 * `outcome-store.test.ts` compares both.
 */

/** The number of outcomes in `recent`. */
export const recentLength = 20;

/**
 * The number of flips among the recent outcomes that makes a test flaky. Passed, failed, passed has two flips and is normal: the test broke
 * and was repaired. Only a third flip shows that the result changes by itself.
 */
export const flakyFlips = 3;

/** The statuses that count as outcomes: retest and untested say what remains to be done, not what was found. */
export const letters = { passed: 'p', failed: 'f', blocked: 'b' } as const satisfies Partial<
  Record<TestStatus, string>
>;
type Letter = (typeof letters)[keyof typeof letters];
/** A blocked test has no verdict, so it is not part of a flip. */
type Verdict = Exclude<Letter, 'b'>;

/** One row of the status history. */
interface ResultRow {
  readonly id: number;
  readonly runId: number;
  readonly status: TestStatus;
  readonly by: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The status of the previous row in the same run; null for the first. */
  readonly before: TestStatus | null;
  /** No earlier row of the same run is an outcome. */
  readonly newInRun: boolean;
}

export interface Outcome {
  /** The status of the newest row, whatever it is. */
  readonly lastStatus: TestStatus;
  readonly lastAt: number;
  readonly lastBy: number;
  readonly lastRunId: number;
  readonly lastResultId: number;
  /** The oldest counted row. If it was deleted meanwhile, the history cannot be counted again. */
  readonly firstResultId: number;
  /** The newest row at the last change of the test: flips up to it are forgotten. 0 if the test never changed. */
  readonly changedAfter: number;
  /** Outcomes, newest first: p, f, b; a flip is P or F. */
  readonly recent: string;
  readonly lastVerdict: Verdict | null;
  /** Failures among `recent`. */
  readonly failed: number;
  /** Flips among `recent`. */
  readonly flips: number;
  /** Runs in which the test has an outcome. */
  readonly runs: number;
  /** Consecutive outcomes that equal the newest. */
  readonly streak: number;
  /** The time of the first of these, if they are failures. */
  readonly failingSince: number | null;
}

export const isFlaky = ({ flips }: Pick<Outcome, 'flips'>): boolean => flips >= flakyFlips;

/** The letter of a result that counts. */
const letterOf = (status: TestStatus): Letter | undefined =>
  status === 'passed' || status === 'failed' || status === 'blocked' ? letters[status] : undefined;

const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** The state of a test after one more result. Rows arrive in id order. */
export function advance(outcome: Outcome | undefined, row: ResultRow): Outcome {
  const before = outcome ?? {
    firstResultId: row.id,
    changedAfter: 0,
    recent: '',
    lastVerdict: null,
    failed: 0,
    flips: 0,
    runs: 0,
    streak: 0,
    failingSince: null,
  };
  const last = {
    lastStatus: row.status,
    lastAt: row.at,
    lastBy: row.by,
    lastRunId: row.runId,
    lastResultId: row.id,
  };
  const letter = letterOf(row.status);
  // The same result with another comment is not a second outcome.
  if (letter === undefined || row.before === row.status) return { ...before, ...last };
  const verdict = letter === 'b' ? before.lastVerdict : letter;
  const flips = before.lastVerdict !== null && verdict !== before.lastVerdict;
  const recent = ((flips ? letter.toUpperCase() : letter) + before.recent).slice(0, recentLength);
  const same = before.recent.slice(0, 1).toLowerCase() === letter;
  return {
    ...before,
    ...last,
    recent,
    lastVerdict: verdict,
    failed: count(recent, /f/gi),
    flips: count(recent, /[PF]/g),
    runs: before.runs + (row.newInRun ? 1 : 0),
    streak: same ? before.streak + 1 : 1,
    failingSince: letter === 'f' ? (same ? before.failingSince : row.at) : null,
  };
}

/** The state after the test itself was changed: earlier flips say nothing about the changed test. */
export const forgetFlips = (outcome: Outcome): Outcome => ({
  ...outcome,
  changedAfter: outcome.lastResultId,
  recent: outcome.recent.toLowerCase(),
  lastVerdict: null,
  flips: 0,
});
