import type { TestStatus } from '../rules/test-status.ts';

/** A run whose results are exported to other tools. */
export interface ExportedRun {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A result in the form for other tools. */
export interface RunResult {
  /** Undefined for a case without a test. */
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
  /** Passed after a failed attempt. */
  readonly flaky?: boolean;
}

/** The three results that other tools know. A test that neither passed nor failed counts as skipped. */
export const outcomeOf = (status: TestStatus): 'passed' | 'failed' | 'skipped' =>
  status === 'passed' || status === 'failed' ? status : 'skipped';

/** Why a test was skipped: its status and its message. What was downloaded and uploaded again begins with the status already. */
export function skippedBecause({ status, message }: RunResult): string {
  if (message === undefined || message.trim() === '') return status;
  return message === status || message.startsWith(`${status}: `) ? message : `${status}: ${message}`;
}

export const durationOf = ({ durationMs }: RunResult): number =>
  durationMs !== undefined && Number.isFinite(durationMs) && durationMs > 0 ? durationMs : 0;

/** The property by which an upload finds the test again, even after a rename. */
export const idProperty = 'trivet.id';
