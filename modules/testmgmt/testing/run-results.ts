import * as fc from 'fast-check';
import type { ExportedRun, RunResult } from '../reports/run-result.ts';
import { testStatuses } from '../rules/test-status.ts';

export const exportedRun: ExportedRun = {
  name: 'CI #123 · main',
  createdAt: Date.parse('2026-11-22T15:00:00.250Z'),
};

export const fewResults: readonly RunResult[] = [
  {
    testId: 1,
    suites: ['Cart'],
    name: 'sums',
    status: 'passed',
    durationMs: 12.5,
    file: 'src/cart.test.ts',
    line: 3,
  },
  {
    testId: 2,
    suites: ['Cart', 'Vouchers'],
    name: 'takes 10 % off',
    status: 'failed',
    durationMs: 1_000,
    message: 'expected 9 to be "10"\n  at <cart.test.ts>:14',
  },
  { testId: 3, suites: [], name: 'ships', status: 'blocked', message: 'the printer is broken' },
  { testId: 4, suites: ['Cart'], name: 'empties', status: 'untested' },
  {
    testId: 5,
    suites: ['Cart', 'Vouchers'],
    name: 'expire',
    status: 'passed',
    flaky: true,
    message: 'timeout',
  },
];

const parts = [
  'a',
  'Cart',
  ' ',
  ' > ',
  '\n',
  '\r',
  '\t',
  '\r\n',
  '<',
  '>',
  '&',
  '&amp;',
  '"',
  "'",
  ']]>',
  '<![CDATA[',
];
const odd = [
  '\u0000',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ufffe',
  '\uffff',
  '\ud83d',
  '😀',
  'é',
  '\\',
  '1',
];
const text = fc.array(fc.constantFrom(...parts, ...odd), { maxLength: 8 }).map((some) => some.join(''));

const result = fc.record(
  {
    suites: fc.array(text, { maxLength: 4 }),
    name: text,
    status: fc.constantFrom(...testStatuses),
    durationMs: fc.oneof(fc.double({ min: 0, max: 1e7, noNaN: true }), fc.constantFrom(NaN, -1, Infinity)),
    message: text,
    file: text,
    line: fc.nat(),
    flaky: fc.boolean(),
  },
  { requiredKeys: ['suites', 'name', 'status'] },
);

/** Results with the worst texts that files and people can contain. */
export const anyResults: fc.Arbitrary<readonly RunResult[]> = fc
  .array(result, { maxLength: 12 })
  .map((all) => all.map((one, at) => ({ ...one, testId: at + 1 })));

export const manyResults = (count: number): readonly RunResult[] =>
  Array.from({ length: count }, (_, at) => ({
    testId: at,
    suites: ['Shop', `Suite ${at % 1_000}`],
    name: `test ${at}`,
    status: at % 50 === 0 ? 'failed' : 'passed',
    durationMs: at % 100,
    ...(at % 50 === 0 && { message: `line <${at}>\n`.repeat(100) }),
  }));

export async function written(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join('');
}
