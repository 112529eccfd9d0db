import { join } from 'node:path';
import type { ReportKind } from './generated-report.ts';

interface MeasuredReading {
  readonly cases: number;
  readonly bytes: number;
  readonly peakMegabytes: number;
  readonly seconds: number;
}

/** Reads a generated report in a separate process. */
export async function measuredReading(kind: ReportKind, megabytes: number): Promise<MeasuredReading> {
  const program = join(import.meta.dir, 'reading-program.ts');
  const child = Bun.spawn([process.execPath, '--no-env-file', program, kind, String(megabytes)], {
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).json()) as MeasuredReading;
}
