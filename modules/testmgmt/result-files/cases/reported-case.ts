/*
 * The contents of a test tool's results file, regardless of its format. The reader of each format returns these; no later code knows the
 * format.
 */

export type ReportedStatus = 'passed' | 'failed' | 'skipped';

/** One attempt to run a case. An error counts as a failure. */
export interface ReportedAttempt {
  readonly status: ReportedStatus;
  /** Milliseconds, including fractions; absent if the file does not give them. */
  readonly durationMs?: number;
  /** Epoch milliseconds of its start; absent if the file does not give it. */
  readonly startedAt?: number;
  /** Why it failed or was skipped, with the trace: the first {@link messageLimit} characters. */
  readonly message?: string;
}

/** One case of a file, with all its attempts. Properties that the file does not give are absent, because most cases are small. */
export interface ReportedCase {
  /** The suites and classes around it, outermost first, without repetition. Cases of one suite share the array. */
  readonly suites: readonly string[];
  /** The whole name without the parameters, even if it is longer than a test's name may be. */
  readonly name: string;
  /** The parameters that distinguish the cases of one parameterized test, as the tool wrote them, e.g. `1-2` of `test_add[1-2]`. */
  readonly parameters?: string;
  /** Distinguishes runs of one case in a file that are not attempts, e.g. by a Playwright project or a browser. */
  readonly variant?: string;
  /** The effective result: that of the last attempt, unless the tool decides otherwise. */
  readonly status: ReportedStatus;
  /** Passed after a failed attempt. Absent: unknown, because the format does not show attempts. */
  readonly flaky?: boolean;
  /** Oldest first, at least one; beyond {@link attemptLimit}, only the last ones. */
  readonly attempts: readonly ReportedAttempt[];
  /** The source file of the test, and its line from 1. */
  readonly file?: string;
  readonly line?: number;
  /** Tags and labels of the tool, without their prefix. */
  readonly tags?: readonly string[];
  /** Properties of the case, e.g. `trivet.id`. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Names (paths, addresses) of attachments. Their contents are not read. */
  readonly attachments?: readonly string[];
  /** The last {@link outputLimit} characters of its stdout and stderr. */
  readonly output?: string;
}

/** The contents of one file. */
export interface ReadResultFile {
  /** The identifier of its format, e.g. `junit`, `ctrf`, `tap`. */
  readonly format: string;
  readonly cases: readonly ReportedCase[];
  /** Remarks for readers of the report in plain sentences, e.g. that a build failed and its tests do not appear. */
  readonly warnings: readonly string[];
}

export const messageLimit = 10_000;
export const outputLimit = 4_000;
export const attemptLimit = 20;
/** Most characters of a name with its suites; a longer one is refused. */
export const nameLimit = 4_000;
/** Most cases of one upload. */
export const caseLimit = 1_000_000;

/** The file cannot be read; nothing of it is used. The message names line and column where they are known. */
export class UnreadableResultFile extends Error {}
