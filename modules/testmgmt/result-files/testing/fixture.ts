/** A report in fixtures/, and what its tool printed in the same run. */
export interface Fixture {
  readonly file: string;
  /** With its version; "schema" if it was written after the published form of the tool, which does not run here. */
  readonly by: string;
  /** What the tool printed, word for word. */
  readonly printed: string;
  /** What the file says. `ms` is the sum of the attempts, rounded. */
  readonly read: {
    readonly format: string;
    readonly cases: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly flaky: number;
    readonly ms: number;
  };
  /** Why the file differs from what was printed. */
  readonly differs?: string;
}

export type Counts = readonly [
  cases: number,
  passed: number,
  failed: number,
  skipped: number,
  flaky: number,
  ms: number,
];

export const readAs = (
  format: string,
  [cases, passed, failed, skipped, flaky, ms]: Counts,
): Fixture['read'] => ({
  format,
  cases,
  passed,
  failed,
  skipped,
  flaky,
  ms,
});
