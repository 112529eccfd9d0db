/*
 * What a file with the results of a test tool says, whatever its format. The reader of each format returns these; nothing after it knows
 * the format.
 */

export type ReportedStatus = 'passed' | 'failed' | 'skipped';

/** One attempt to run a case. An error counts as a failure. */
export interface ReportedAttempt {
  readonly status: ReportedStatus;
  /** Milliseconds, with their fraction; absent if the file does not say. */
  readonly durationMs?: number;
  /** Epoch milliseconds at which it began; absent if the file does not say. */
  readonly startedAt?: number;
  /** Why it failed or was skipped, with the trace: the first {@link messageLimit} characters. */
  readonly message?: string;
}

/** One case of a file, with all its attempts. Absent properties are those that the file does not have: most cases are small. */
export interface ReportedCase {
  /** The suites and classes around it, outermost first, each once. Cases of one suite share the array. */
  readonly suites: readonly string[];
  /** The whole name, also when it is longer than a test's name may be; without the parameters. */
  readonly name: string;
  /** What tells the cases of one parameterized test apart, as the tool wrote it, e.g. `1-2` of `test_add[1-2]`. */
  readonly parameters?: string;
  /** What tells two runs of one case in one file apart that are no attempts: a project of Playwright, a browser. */
  readonly variant?: string;
  /** The result that counts: that of the last attempt, unless the tool decides otherwise. */
  readonly status: ReportedStatus;
  /** Passed after it failed. Absent: the format does not show attempts, so nobody knows. */
  readonly flaky?: boolean;
  /** Oldest first, at least one; of more than {@link attemptLimit}, the last ones. */
  readonly attempts: readonly ReportedAttempt[];
  /** The source file of the test, and its line from 1. */
  readonly file?: string;
  readonly line?: number;
  /** Tags and labels of the tool, without their sign. */
  readonly tags?: readonly string[];
  /** Properties of the case, e.g. `trivet.id`. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Names (paths, addresses) of attachments. Their contents are not read. */
  readonly attachments?: readonly string[];
  /** The last {@link outputLimit} characters that it wrote to stdout and stderr. */
  readonly output?: string;
}

/** What one file said. */
export interface ReadResultFile {
  /** The word of its format, e.g. `junit`, `ctrf`, `tap`. */
  readonly format: string;
  readonly cases: readonly ReportedCase[];
  /** What a reader of the report should know, e.g. that a build failed and its tests do not appear; plain sentences. */
  readonly warnings: readonly string[];
}

export const messageLimit = 10_000;
export const outputLimit = 4_000;
export const attemptLimit = 20;
/** Characters of a name with its suites; a longer one is refused. */
export const nameLimit = 4_000;
/** Cases of one upload. */
export const caseLimit = 1_000_000;

/** The file cannot be read; nothing of it is used. The message names line and column where there are some. */
export class UnreadableResultFile extends Error {}
