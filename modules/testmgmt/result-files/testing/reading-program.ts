import { readFileSync } from 'node:fs';
import { readResultBatches } from '../result-file.ts';
import { generatedReport, type ReportKind } from './generated-report.ts';

/*
 * Reads a generated report in a separate process, because the peak memory of a process never falls. `bun reading-program.ts KIND MEGABYTES`
 * prints {"cases","bytes","peakMegabytes","seconds"}.
 */

const [kind = 'cases', megabytes = '20'] = process.argv.slice(2);
let bytes = 0;

async function* counted(): AsyncGenerator<Uint8Array> {
  for (const chunk of generatedReport(kind as ReportKind, Number(megabytes) * 1_000_000)) {
    bytes += chunk.length;
    yield chunk;
  }
}

const begin = performance.now();
const { signal } = new AbortController();
const { batches } = await readResultBatches(counted(), { name: 'generated.xml', signal });
let cases = 0;
for (const batch of batches()) {
  cases += batch.length;
  await Bun.sleep(0);
}
const peakKilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
const found = {
  cases,
  bytes,
  peakMegabytes: Math.round(Number(peakKilobytes) / 1_000),
  seconds: Math.round((performance.now() - begin) / 100) / 10,
};
await Bun.write(Bun.stdout, `${JSON.stringify(found)}\n`);
