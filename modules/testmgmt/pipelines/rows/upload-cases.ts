import type { ReadResultBatches } from '../../result-files/result-file.ts';
import type { ReportedCase, ReportedStatus } from '../../result-files/cases/reported-case.ts';

export interface UploadFile {
  readonly name: string;
  readonly read: ReadResultBatches;
}

/** Consecutive cases of an upload. */
interface CaseBatch {
  /** The position of the first in the upload. */
  readonly from: number;
  /** The index of their file. */
  readonly file: number;
  readonly cases: readonly ReportedCase[];
}

/** The cases of an upload, up to a million: they are read batch by batch, as often as needed, and are never in memory all at once. */
export class UploadCases {
  readonly files: readonly UploadFile[];
  readonly count: number;

  constructor(files: readonly UploadFile[]) {
    this.files = files;
    this.count = files.reduce((sum, { read }) => sum + read.count, 0);
  }

  *batches(): Generator<CaseBatch> {
    let from = 0;
    for (const [file, { read }] of this.files.entries())
      for (const cases of read.batches()) {
        yield { from, file, cases };
        from += cases.length;
      }
  }
}

/** The number of cases per status. */
export type CaseTotals = Record<'cases' | ReportedStatus, number>;

export const noTotals = (): CaseTotals => ({ cases: 0, passed: 0, failed: 0, skipped: 0 });

/** Adds cases to a count. */
export function countCases(totals: CaseTotals, cases: readonly ReportedCase[]): void {
  totals.cases += cases.length;
  for (const { status } of cases) totals[status]++;
}

export function sumOf(all: readonly CaseTotals[]): CaseTotals {
  const sum = noTotals();
  for (const totals of all)
    for (const key of Object.keys(sum) as Array<keyof CaseTotals>) sum[key] += totals[key];
  return sum;
}
