import { describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'junit2json';
import { junitFixtures } from './testing/junit-fixtures.ts';
import { otherFixtures } from './testing/other-fixtures.ts';
import { readContent } from './testing/read-text.ts';
import type { ReadResultFile, ReportedCase } from './cases/reported-case.ts';

const fixtures = [...junitFixtures, ...otherFixtures];
const folder = join(import.meta.dir, 'fixtures');
const bytesOf = (file: string) => new Uint8Array(readFileSync(join(folder, file)));
const files = [...new Glob('*/*').scanSync(folder)].filter((file) => !file.endsWith('.cases')).sort();

const count = (cases: readonly ReportedCase[], is: (one: ReportedCase) => boolean) => cases.filter(is).length;

/** Everything of a case in one line. */
function shown(one: ReportedCase): string {
  const { suites, name, parameters, variant, status, flaky, attempts, file, line, ...rest } = one;
  return JSON.stringify([
    `${status}${flaky === undefined ? '' : flaky ? ' flaky' : ' not flaky'}`,
    [...suites, `${name}${parameters === undefined ? '' : ` {${parameters}}`}`].join(' | '),
    ...(variant === undefined ? [] : [`on ${variant}`]),
    ...(file === undefined ? [] : [`${file}${line === undefined ? '' : `:${line}`}`]),
    ...attempts.map(({ status, durationMs, startedAt, message }) =>
      [status, durationMs, startedAt, message?.slice(0, 60)].filter((part) => part !== undefined).join(' '),
    ),
    ...Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value).slice(0, 200)}`),
  ]);
}

const listing = ({ cases, warnings }: ReadResultFile) =>
  `${[...cases.map(shown), ...warnings.map((warning) => `Warning: ${warning}`)].join('\n')}\n`;

describe('reports of the tools', () => {
  test('each fixture has its row', () => expect(fixtures.map(({ file }) => file).sort()).toEqual(files));

  test.each(fixtures.map((fixture) => [fixture.file, fixture] as const))('%s', async (file, fixture) => {
    const read = await readContent(bytesOf(file), { chunk: 1_000 });
    const { cases } = read;
    expect({
      format: read.format,
      cases: cases.length,
      passed: count(cases, ({ status }) => status === 'passed'),
      failed: count(cases, ({ status }) => status === 'failed'),
      skipped: count(cases, ({ status }) => status === 'skipped'),
      flaky: count(cases, ({ flaky }) => flaky === true),
      ms: Math.round(
        cases.flatMap(({ attempts }) => attempts).reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
      ),
    }).toEqual(fixture.read);
    const expected = join(folder, `${file}.cases`);
    // Written with TRIVET_WRITE_SNAPSHOT=1, then reviewed by a person.
    if (process.env['TRIVET_WRITE_SNAPSHOT'] === '1') writeFileSync(expected, listing(read));
    expect(listing(read)).toBe(readFileSync(expected, 'utf8'));
    for (const { suites } of cases) {
      const first = cases.find((one) => one.suites.join('\0') === suites.join('\0'));
      expect(first?.suites).toBe(suites);
    }
  });

  test.each(fixtures.filter(({ read }) => read.format === 'junit').map(({ file }) => file))(
    'another reader of JUnit finds as many cases in %s',
    async (file) => {
      const { cases } = await readContent(bytesOf(file));
      const elements = elementsIn(
        (await parse(readFileSync(join(folder, file), 'utf8').replaceAll('&#27;', ''))) as JUnitTree,
      );
      const attempts = cases.reduce((sum, { attempts }) => sum + attempts.length, 0);
      // A failing teardown of pytest is a second element of its case; Surefire's attempts are inside one element.
      const difference = /pytest(?:-xunit1)?\.xml$/.test(file) ? -1 : 0;
      const areInside = /(?:surefire|junit5|nextest|playwright)\//.test(file);
      expect(!areInside ? attempts : cases.length).toBe(elements + difference);
    },
  );
});

interface JUnitTree {
  readonly testsuite?: readonly JUnitTree[];
  readonly testcase?: readonly unknown[];
}
const elementsIn = ({ testsuite = [], testcase = [] }: JUnitTree): number =>
  testcase.length + testsuite.reduce((sum, inner) => sum + elementsIn(inner), 0);
