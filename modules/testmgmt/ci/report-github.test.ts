import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { greenReport, hostileReport, redReport } from '../testing/upload-reports.ts';
import { reportGithub } from './report-github.ts';

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

const known = new Set([
  'error',
  'warning',
  'notice',
  'debug',
  'group',
  'endgroup',
  'add-mask',
  'set-output',
  'stop-commands',
]);

/** Replaced one after the other, `%25` last, as the runner does. */
const unescaped = (text: string, marks: readonly string[]) =>
  [...marks, '%'].reduce((all, mark) => all.replaceAll(encodeURIComponent(mark), mark), text);

/** The command of a line as actions/runner reads it (src/Runner.Common/ActionCommand.cs): the old form may occur anywhere. */
function commandIn(line: string): Command | undefined {
  const text = line.trimStart();
  const end = text.startsWith('::') ? text.indexOf('::', 2) : -1;
  const [name = '', ...rest] = end < 0 ? [] : text.slice(2, end).split(' ');
  if (known.has(name)) {
    const pairs = rest.join(' ').split(',').filter(Boolean);
    const properties = pairs.map((pair) => {
      const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      return [key, unescaped(value, ['\r', '\n', ':', ','])] as const;
    });
    const data = unescaped(text.slice(end + 2), ['\r', '\n']);
    return { name, properties: Object.fromEntries(properties), data };
  }
  const old = /##\[([\w-]+)[^\]]*\]/.exec(line)?.[1];
  return old !== undefined && known.has(old) ? { name: `old ${old}`, properties: {}, data: '' } : undefined;
}

const commandsOf = (output: string) => output.split('\n').flatMap((line) => commandIn(line) ?? []);

test('the reader of the test reads commands', () => {
  expect(
    commandsOf(' ::error file=a%3Ab,line=3::x%250A%0Ay\nz ##[add-mask]e\n::unknown::x\na ::error::b'),
  ).toEqual([
    { name: 'error', properties: { file: 'a:b', line: '3' }, data: 'x%0A\ny' },
    { name: 'old add-mask', properties: {}, data: '' },
  ]);
});

test('a green report has no annotation', () => expect(commandsOf(reportGithub(greenReport))).toEqual([]));

test('failures are errors, flaky tests warnings, renames notices', () => {
  const output = reportGithub(redReport, { workspace: '/home/runner/work/shop/shop' });
  expect(output).toStartWith('Failed: 3 of 240 tests, 2 of them newly\n');
  expect(output.slice(output.indexOf('::error'))).toBe(
    `::error file=src/cart.test.ts,line=12,title=Newly failing%3A Cart > adds an item::expected 2 to be 3%0A    at src/cart.test.ts:14:5
::error file=src/pay.test.ts,title=Newly failing%3A Checkout > pays%2C with 100 %25::It failed without a message.
::error title=Still failing%3A Checkout > ships::It failed without a message.
::warning file=src/search.test.ts,line=3,title=Flaky%3A Search > finds::timeout
::notice file=src/cart.test.ts,title=Renamed? Cart > adds::Cart > add → Cart > adds. The history is of test 5; --accept-renames joins them.
::notice title=Renamed%3A Pays::Pay → Pays, joined to test 6
`,
  );
});

describe('a path', () => {
  const workspace = '/home/runner/work/shop/shop';
  const windows = 'D:\\a\\shop\\shop';
  const cases: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
    ['src/a.ts', workspace, 'src/a.ts'],
    ['./src/./a.ts', workspace, 'src/a.ts'],
    [`${workspace}/src/a.ts`, workspace, 'src/a.ts'],
    [`${workspace}/src/a.ts`, `${workspace}/`, 'src/a.ts'],
    [`${workspace}/src/a.ts`, undefined, undefined],
    [`${workspace}-other/src/a.ts`, workspace, undefined],
    [`file://${workspace}/src/a.ts`, workspace, 'src/a.ts'],
    ['D:\\a\\shop\\shop\\src\\a.ts', windows, 'src/a.ts'],
    ['d:/a/shop/shop/src/a.ts', windows, 'src/a.ts'],
    ['C:\\other\\a.ts', windows, undefined],
    ['src\\a.ts', workspace, 'src/a.ts'],
    ['../a.ts', workspace, undefined],
    ['src/../../a.ts', workspace, undefined],
    ['/etc/passwd', workspace, undefined],
    ['https://example.com/a.ts', workspace, undefined],
    ['src/a,b:c%.ts', workspace, 'src/a,b:c%.ts'],
    ['', workspace, undefined],
  ];
  test.each(cases)('%j in %j', (file, base, path) => {
    const failing = [{ testId: 1, name: 'a', file, line: 3 }];
    const totals = { ...redReport.totals, failed: 1 };
    const report = { ...greenReport, totals, failing };
    const [first] = commandsOf(reportGithub(report, base === undefined ? {} : { workspace: base }));
    expect([first?.properties['file'], first?.properties['line']]).toEqual([path, path && '3']);
  });
});

describe('of more than ten of a kind', () => {
  const tests = Array.from({ length: 100 }, (_, at) => ({ testId: at, name: `t${at}` }));
  const cases: ReadonlyArray<readonly [number, number, string]> = [
    [9, 9, 'Still failing: t8'],
    [10, 10, 'Still failing: t9'],
    [11, 10, '2 more'],
    [5_000, 10, '4991 more'],
  ];
  test.each(cases)('%d failures are %d errors, the last: %s', (failed, shown, title) => {
    const report = {
      ...greenReport,
      totals: { ...greenReport.totals, failed },
      failing: tests.slice(0, failed),
    };
    const errors = commandsOf(reportGithub(report)).filter(({ name }) => name === 'error');
    expect(errors.length).toBe(shown);
    expect(errors.at(-1)?.properties['title']).toBe(title);
  });
});

test('whatever the names are, the runner sees our commands only', () => {
  fc.assert(
    fc.property(hostileReport, (report) => {
      const commands = commandsOf(reportGithub(report, { workspace: '/w' }));
      const count = (name: string) => commands.filter((command) => command.name === name).length;
      const failing = report.newlyFailingCount + new Set(report.failing.slice(report.newlyFailingCount)).size;
      expect(count('error')).toBeLessThanOrEqual(Math.min(10, failing));
      expect(count('warning')).toBe(Math.min(10, report.flakyTests.length));
      expect(count('notice')).toBe(2);
      expect(commands.length).toBe(count('error') + count('warning') + count('notice'));
      for (const { properties, data } of commands) {
        expect(Object.keys(properties).filter((name) => !['file', 'line', 'title'].includes(name))).toEqual(
          [],
        );
        expect(properties['title']).toMatch(
          /^(?:Newly failing: |Still failing: |Flaky: |Renamed\? |Renamed: )/,
        );
        expect(data).not.toMatch(/[^\P{Cc}\n]|##\w*\[/u);
      }
    }),
    { numRuns: 2_000 },
  );
});
