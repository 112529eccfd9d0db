import type { TestStatus } from '../rules/test-status.ts';

/** A run whose results are written for other tools. */
export interface ExportedRun {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A result as other tools have it. */
export interface RunResult {
  /** Undefined for a case of no test. */
  readonly testId: number | undefined;
  /** Outermost first. */
  readonly suites: readonly string[];
  readonly name: string;
  readonly status: TestStatus;
  readonly durationMs?: number;
  readonly message?: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** Passed after it failed. */
  readonly flaky?: boolean;
}

/** The three results that other tools know. Who is not passed and not failed was not run to its end. */
export const outcomeOf = (status: TestStatus): 'passed' | 'failed' | 'skipped' =>
  status === 'passed' || status === 'failed' ? status : 'skipped';

/** Why a test was skipped: its status, and what was said of it. */
export const skippedBecause = ({ status, message }: RunResult): string =>
  message === undefined || message.trim() === '' ? status : `${status}: ${message}`;

export const durationOf = ({ durationMs }: RunResult): number =>
  durationMs !== undefined && Number.isFinite(durationMs) && durationMs > 0 ? durationMs : 0;

/** The name under which an upload finds the test again, whatever it is called. */
export const idProperty = 'trivet.id';
