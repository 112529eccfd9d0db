import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { parse } from 'junit2json';
import type { ReportedCase } from './cases/reported-case.ts';
import { readContent } from './testing/read-text.ts';
import { reportWriters, type ReportWriter } from './testing/report-writers.ts';
import type { WrittenCase } from './testing/written-case.ts';

const seed = Number(process.env['TRIVET_SEED'] ?? 1);

const identifier = fc.stringMatching(/^[A-Z][a-z0-9]{0,7}$/);
/** Text as people write it, without parentheses, brackets and the separators of formats that split names. */
const title = fc
  .string({
    unit: fc.constantFrom('a', 'B', '7', ' ', '&', '<', '"', "'", 'é', '🙂', '日', '%', '-', ';'),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => `t${text}t`);
/** Everything that is not a control character; surrogates in pairs. */
const anyText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => `x${text.replaceAll(/\p{Cc}/gu, '')}x`);
const message = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .map((text) => `m${text.replaceAll(/\p{Cc}/gu, '')}\n ]]> end`);

function namesOf({ names }: ReportWriter) {
  switch (names) {
    case 'any':
      return { suite: anyText, name: anyText, depth: [1, 4] };
    case 'titles':
      return { suite: title, name: title, depth: [1, 4] };
    case 'identifiers':
      return { suite: identifier, name: title, depth: [1, 4] };
    case 'one type':
      return {
        suite: fc.tuple(identifier, identifier).map((parts) => parts.join('.')),
        name: identifier,
        depth: [1, 1],
      };
    default:
      return { suite: fc.stringMatching(/^[a-z]{1,8}$/), name: title, depth: [1, 1] };
  }
}

/** Cases whose places all differ: no name is also a suite. */
function casesFor(writer: ReportWriter): fc.Arbitrary<readonly WrittenCase[]> {
  const {
    suite,
    name,
    depth: [minLength = 1, maxLength = 1],
  } = namesOf(writer);
  const one = fc.record({
    suites: fc
      .array(suite, { minLength, maxLength })
      .map((suites) => suites.map((each, level) => `${each}${writer.names === 'one type' ? '' : level}`)),
    name,
    status: fc.constantFrom('passed' as const, 'failed' as const, 'skipped' as const),
    durationMs: fc.integer({ min: 0, max: 59_999 }),
    message,
  });
  return fc.uniqueArray(one, {
    minLength: 1,
    maxLength: 12,
    selector: ({ suites, name }) => [...suites, name].join('\0'),
  });
}

const byPlace = (a: readonly unknown[], b: readonly unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);

const told = (writer: ReportWriter, cases: ReadonlyArray<ReportedCase | WrittenCase>) =>
  cases
    .map((one) => {
      const last = 'attempts' in one ? one.attempts.at(-1) : one;
      const parts = [[...one.suites, one.name].join('\0'), one.status] as const;
      if (!writer.keepsTime) return parts;
      return [
        ...parts,
        last?.durationMs,
        one.status === 'passed' ? '' : (last?.message ?? '').replaceAll(/\s+/g, ' ').trim(),
      ];
    })
    .sort(byPlace);

test.each(reportWriters.map((writer) => [`${writer.format}, ${writer.dialect}`, writer] as const))(
  'any tree of suites comes back: %s',
  async (_title, writer) => {
    const property = fc.asyncProperty(
      casesFor(writer),
      fc.integer({ min: 1, max: 200 }),
      async (cases, chunk) => {
        const read = await readContent(writer.write(cases), { chunk });
        expect(read.format).toBe(writer.format);
        expect(told(writer, read.cases)).toEqual(told(writer, cases));
      },
    );
    await fc.assert(property, { seed, numRuns: 60 });
  },
);

test('another reader of JUnit XML agrees on trees of suites', async () => {
  const writer = reportWriters[0];
  if (!writer) throw new Error('no writer');
  interface Tree {
    readonly name?: string;
    readonly testsuite?: readonly Tree[];
    readonly testcase?: ReadonlyArray<{
      readonly name?: string;
      readonly failure?: readonly unknown[];
      readonly skipped?: readonly unknown[];
    }>;
  }
  const leaves = (tree: Tree, path: readonly string[]): string[] => [
    ...(tree.testcase ?? []).map((one) =>
      [...path, one.name, one.failure ? 'failed' : one.skipped ? 'skipped' : 'passed'].join('\0'),
    ),
    ...(tree.testsuite ?? []).flatMap((suite) => leaves(suite, [...path, suite.name ?? ''])),
  ];
  const property = fc.asyncProperty(casesFor(writer), async (cases) => {
    const text = writer.write(cases);
    const { cases: own } = await readContent(text);
    const other = leaves((await parse(text)) as Tree, []);
    expect(own.map(({ suites, name, status }) => [...suites, name, status].join('\0')).sort()).toEqual(
      other.sort(),
    );
  });
  await fc.assert(property, { seed, numRuns: 60 });
});
