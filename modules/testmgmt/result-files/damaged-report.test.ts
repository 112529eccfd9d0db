import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptLimit, messageLimit, outputLimit } from './cases/reported-case.ts';
import { junitFixtures } from './testing/junit-fixtures.ts';
import { otherFixtures } from './testing/other-fixtures.ts';
import { readContent, refusalOf } from './testing/read-text.ts';

const seed = Number(process.env['TRIVET_SEED'] ?? 1);
const reports = [...junitFixtures, ...otherFixtures].map(
  ({ file }) => new Uint8Array(readFileSync(join(import.meta.dir, 'fixtures', file))),
);

interface Damage {
  readonly kind: 'cut' | 'drop' | 'repeat' | 'put';
  /** In thousandths of the length. */
  readonly from: number;
  readonly length: number;
  readonly text: string;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('cut', 'drop', 'repeat', 'put'),
  from: fc.noBias(fc.integer({ min: 0, max: 1_000 })),
  length: fc.noBias(fc.integer({ min: 0, max: 30 })),
  text: fc.constantFrom(
    '<',
    '>',
    '"',
    '&',
    ']]>',
    '<!--',
    '<![CDATA[',
    '{',
    '}',
    '[',
    ',',
    '\\',
    '\0',
    '\n',
    '<testcase/>',
    'not ok ',
    'é',
    '\u001b',
  ),
});

function damaged(report: Uint8Array, { kind, from, length, text }: Damage): Uint8Array {
  const begin = Math.floor((from * report.length) / 1_000);
  const end = Math.min(report.length, begin + Math.ceil((length * report.length) / 1_000));
  const [before, part, after] = [
    report.subarray(0, begin),
    report.subarray(begin, end),
    report.subarray(end),
  ];
  const parts = {
    cut: [before],
    drop: [before, after],
    repeat: [before, part, part, after],
    put: [before, new TextEncoder().encode(text), part, after],
  }[kind];
  return new Uint8Array(Bun.concatArrayBuffers(parts));
}

test('a damaged report is read within its bounds or refused, and the chunks decide nothing', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...reports),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 5_000 }),
    async (report, damages, chunk) => {
      const content = damages.reduce(damaged, report);
      const said = await refusalOf(content, { chunk });
      expect(said).toMatch(/^(?:read \d+ cases|results.*: \w.*)$/s);
      expect(await refusalOf(content)).toBe(said);
      if (!said.startsWith('read ')) return;
      for (const { attempts, output = '' } of (await readContent(content)).cases) {
        expect(attempts.length).toBeWithin(1, attemptLimit + 1);
        expect(output.length).toBeLessThanOrEqual(outputLimit);
        for (const { message = '' } of attempts) expect(message.length).toBeLessThanOrEqual(messageLimit);
      }
    },
  );
  await fc.assert(property, { seed, numRuns: 300 });
});
