import { expect, test } from 'bun:test';
import { measuredReading } from './testing/measured-reading.ts';

// A program that reads nothing needs 25 MB.
test.each([
  ['cases', 60_000, 120],
  ['pytest', 60_000, 140],
  ['output', 2, 100],
] as const)(
  '20 MB of a report (%s, %d cases) need at most %d MB of memory',
  async (kind, cases, megabytes) => {
    const found = await measuredReading(kind, 20);
    expect(found.cases).toBeGreaterThanOrEqual(cases);
    expect(found.bytes).toBeGreaterThanOrEqual(20_000_000);
    expect(found.peakMegabytes).toBeLessThan(megabytes);
  },
);
