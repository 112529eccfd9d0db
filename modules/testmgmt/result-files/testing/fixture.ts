/** A report in fixtures/, and the output of its tool in the same run. */
export interface Fixture {
  readonly file: string;
  /** The tool with its version; "schema" if the file was written by hand from the published format of a tool that does not run here. */
  readonly by: string;
  /** The output of the tool, verbatim. */
  readonly printed: string;
  /** The expected contents of the file. `ms` is the sum of the attempts, rounded. */
  readonly read: {
    readonly format: string;
    readonly cases: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly flaky: number;
    readonly ms: number;
  };
  /** Why the file differs from the output. */
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
