import { expect, test } from 'bun:test';
import { ran } from '../../../../test/verify/scale.ts';
import { measuredReading } from './measured-reading.ts';

/*
 * A report of 200 MB is read in bounded memory, whatever it contains. Mutation note: seen to fail when cases stay objects while the file is
 * read (1,490 MB), and when a text is kept until its element ends (1,010 MB).
 */
test.each([
  ['cases', 200],
  ['pytest', 300],
  ['output', 150],
] as const)('200 MB of a report (%s) need at most %d MB of memory', async (kind, megabytes) => {
  const { cases, bytes, peakMegabytes, seconds } = await measuredReading(kind, 200);
  expect(bytes).toBeGreaterThanOrEqual(200_000_000);
  expect(peakMegabytes).toBeLessThan(megabytes);
  const what = `cases in ${Math.round(bytes / 1e6)} MB of JUnit XML (${kind})`;
  ran(cases, `${what} read with ${peakMegabytes} MB of memory in ${seconds} s`);
});
