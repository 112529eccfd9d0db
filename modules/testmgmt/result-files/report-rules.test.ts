import { describe, expect, test } from 'bun:test';
import { bracketed, dataSet, inParentheses, javaInvocation } from './cases/case-parameters.ts';
import { millisecondsOf, momentOf, statusOfWord } from './cases/case-values.ts';
import { attemptLimit } from './cases/reported-case.ts';
import { tapLine } from './formats/tap-line.ts';
import { readContent } from './testing/read-text.ts';

test.each<[string | undefined, number | undefined]>([
  ['0.', 0],
  ['-0.000000', 0],
  ['8.8e-05', 0.088],
  ['1,234.567', 1_234_567],
  ['1,234,567.891', 1_234_567_891],
  ['0,25', 250],
  ['.5', 500],
  ['12', 12_000],
  ['0.1', 100],
  [' 3 ', 3_000],
  ['15ms', 15],
  ['1.5s', 1_500],
  ['', undefined],
  ['NaN', undefined],
  ['fast', undefined],
  ['1e999', undefined],
  ['1'.repeat(101), undefined],
  [undefined, undefined],
])('the time %p is %p ms', (text, milliseconds) => expect(millisecondsOf(text)).toBe(milliseconds));

test.each<[string, number | undefined]>([
  ['2026-11-22T15:00:00Z', 1_795_359_600_000],
  ['2026-11-22T15:00:00.5+01:00', 1_795_356_000_500],
  // The clock is unknown.
  ['2026-11-22T15:00:00', undefined],
  ['Sun, 22 Nov 2026 15:12:20 GMT', undefined],
  ['yesterdayZ', undefined],
])('the moment %p', (text, moment) => expect(momentOf(text)).toBe(moment));

test.each<[string, string | undefined]>([
  ['Passed', 'passed'],
  ['run', 'passed'],
  ['FAILED', 'failed'],
  ['timed-out', 'failed'],
  ['not run', 'skipped'],
  ['whatever', undefined],
  ['constructor', undefined],
])('the word %p says %p', (word, status) => expect(statusOfWord(word)).toBe(status as never));

test.each<[(name: string) => unknown, string, string, string | undefined]>([
  [bracketed, 'test_add[1-2]', 'test_add', '1-2'],
  [bracketed, 'test_add[a[0]]', 'test_add', 'a[0]'],
  [bracketed, 'test_add', 'test_add', undefined],
  [javaInvocation, 'adds(int, int)[1]', 'adds', '(int, int)[1]'],
  [javaInvocation, 'adds{int}[2]', 'adds', '{int}[2]'],
  [javaInvocation, 'adds[0: a, b]', 'adds', '0: a, b'],
  [javaInvocation, 'adds()', 'adds', undefined],
  [javaInvocation, 'adds(TestInfo)', 'adds(TestInfo)', undefined],
  [javaInvocation, 'a name (with) words[1]', 'a name (with) words[1]', undefined],
  [inParentheses, 'Adds(1,2)', 'Adds', '1,2'],
  [inParentheses, 'Adds (a: "(")', 'Adds', 'a: "("'],
  [inParentheses, 'Adds()', 'Adds', undefined],
  [inParentheses, 'Adds', 'Adds', undefined],
  [dataSet, 'testAdd with data set "a "b""', 'testAdd', 'a "b"'],
  [dataSet, 'testAdd with data set #0', 'testAdd', '#0'],
  [dataSet, 'testAdd with data', 'testAdd with data', undefined],
])('%p: %s', (split, name, bare, parameters) =>
  expect(split(name)).toEqual(parameters === undefined ? { name: bare } : { name: bare, parameters }),
);

test.each<[string, unknown]>([
  ['ok 1 - adds', { status: 'passed', name: 'adds' }],
  ['ok', { status: 'passed', name: '' }],
  ['ok 7', { status: 'passed', name: '7' }],
  ['    not ok 2 fails', { status: 'failed', name: 'fails', indent: 4 }],
  ['ok 3 # skip not now', { status: 'skipped', name: '3', reason: 'not now' }],
  ['not ok 4 - a # SKIP: later', { status: 'skipped', name: 'a', reason: 'later' }],
  ['ok 4 - # SKIP is pending', { status: 'skipped', name: 'is pending' }],
  ['not ok 5 - a # TODO', { status: 'skipped', name: 'a' }],
  ['ok 5 - a # TODO', { status: 'skipped', name: 'a' }],
  ['ok 6 - a # time=0.23ms', { status: 'passed', name: 'a', durationMs: 0.23 }],
  ['ok 6 - a # time=2s {', { status: 'passed', name: 'a', durationMs: 2_000, opens: true }],
  ['ok 7 - issue # 12 is closed', { status: 'passed', name: 'issue # 12 is closed' }],
  ['ok 8 - a \\# b \\\\ c', { status: 'passed', name: 'a # b \\ c' }],
  ['ok 9 - todos', { status: 'passed', name: 'todos' }],
])('the line of TAP %p', (line, point) =>
  expect(tapLine(line)).toMatchObject({ is: 'point', ...(point as object) }),
);

test.each<[string, string]>([
  ['1..3', 'plan'],
  ['Bail out! no database', 'bail'],
  ['# Subtest: a', 'comment'],
  ['  ---', 'yaml'],
  ['}', 'close'],
  ['okay then', 'other'],
  ['nothing', 'other'],
])('the line of TAP %p is %s', (line, is) => expect(tapLine(line).is).toBe(is as never));

const cases = async (content: string) =>
  (await readContent(content)).cases.map(({ suites, name, status }) => [...suites, name, status].join(' | '));
const warnings = async (content: string) => (await readContent(content)).warnings;
const suite = (inside: string, attributes = '') => `<testsuite name="s"${attributes}>${inside}</testsuite>`;

describe('JUnit XML of no known tool', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'headers that lie do not count',
      suite('<testcase name="a"/>', ' tests="9" skipped="-2" failures="0"'),
      ['s | a | passed'],
    ],
    [
      'a case of one name is listed twice',
      suite('<testcase name="a"><failure/></testcase><testcase name="a"/>'),
      ['s | a | failed', 's | a | passed'],
    ],
    [
      'skipped beside failure: skipped',
      suite('<testcase name="a"><skipped/><failure/></testcase>'),
      ['s | a | skipped'],
    ],
    ['errors are failures', suite('<testcase name="a"><error/></testcase>'), ['s | a | failed']],
    [
      'skipped without a child',
      suite('<testcase name="a" status="notrun"/><testcase name="b" status="disabled"/>'),
      ['s | a | skipped', 's | b | skipped'],
    ],
    ['failed without a child', suite('<testcase name="a" result="failure"/>'), ['s | a | failed']],
    [
      'cases straight under testsuites',
      '<testsuites name="x"><testcase name="a" classname="c"/></testsuites>',
      ['c | a | passed'],
    ],
    ['a classname that repeats the suite', suite('<testcase name="a" classname="s"/>'), ['s | a | passed']],
    [
      'a classname that goes on from the suite',
      suite('<testcase name="a" classname="s.t"/>'),
      ['s | t | a | passed'],
    ],
    [
      'a classname that repeats nested suites',
      '<testsuite name="a"><testsuite name="b"><testcase name="c" classname="a.b"/></testsuite></testsuite>',
      ['a | b | c | passed'],
    ],
    ['another classname', suite('<testcase name="a" classname="c"/>'), ['s | c | a | passed']],
    ['an empty suite', '<testsuite name=""><testcase name=""/></testsuite>', [' | passed']],
    [
      'unknown elements',
      suite('<testcase name="a"><other><failure/></other></testcase><x><y/></x>'),
      ['s | a | passed'],
    ],
    [
      'names of 660 characters',
      suite(`<testcase name="${'n'.repeat(660)}"/>`),
      [`s | ${'n'.repeat(660)} | passed`],
    ],
  ])('%s', async (_title, content, expected) => expect(await cases(content)).toEqual([...expected]));

  test.each<[string, string, string, boolean]>([
    ['a failure and 50 reruns', `<failure/>${'<rerunFailure/>'.repeat(50)}`, 'failed', false],
    [
      'a failure between 50 reruns',
      `${'<rerunFailure/>'.repeat(25)}<failure/>${'<rerunFailure/>'.repeat(25)}`,
      'failed',
      false,
    ],
    ['50 attempts that failed, then it passed', '<flakyFailure/>'.repeat(50), 'passed', true],
    ['reruns without a failure', '<rerunFailure/>'.repeat(20), 'failed', false],
    ['50 failures, then skipped', `${'<failure message="x"/>'.repeat(50)}<skipped/>`, 'skipped', false],
  ])('%s', async (_title, inside, status, flaky) => {
    const { cases: read } = await readContent(suite(`<testcase name="a">${inside}</testcase>`));
    expect(read[0]?.status).toBe(status as never);
    expect(read[0]?.flaky ?? false).toBe(flaky);
    expect(read[0]?.attempts.length).toBe(inside.includes('rerun') || flaky ? attemptLimit : 1);
    expect(read[0]?.attempts.at(-1)?.status).toBe(status as never);
  });

  test('attempts that left no trace are unknown, not none', async () => {
    const { cases: read } = await readContent(suite('<testcase name="a"/>'));
    expect(read[0]).not.toHaveProperty('flaky');
  });
});

// The fields of a test in CTRF, https://ctrf.io/docs/specification/test: a report may give any of them without the others.
test.each<[fields: string, attempts: readonly string[], flaky: boolean | undefined]>([
  ['"status":"passed"', ['passed'], undefined],
  ['"status":"passed","flaky":true', ['failed', 'passed'], true],
  ['"status":"passed","flaky":true,"retries":0', ['failed', 'passed'], true],
  ['"status":"passed","flaky":true,"retries":2', ['failed', 'failed', 'passed'], true],
  ['"status":"passed","flaky":true,"retryAttempts":[{"status":"failed"}]', ['failed', 'passed'], true],
  ['"status":"passed","flaky":false', ['passed'], false],
  ['"status":"failed","flaky":true', ['failed'], false],
  ['"status":"failed","retries":1', ['failed', 'failed'], false],
])('CTRF with %s', async (fields, attempts, flaky) => {
  const { cases: read } = await readContent(`{"results":{"tests":[{"name":"a",${fields}}]}}`);
  expect(read[0]?.attempts.map(({ status }) => status)).toEqual([...attempts] as never);
  expect(read[0]?.flaky).toBe(flaky);
});

describe('what a report hides', () => {
  test.each<[string, string, string]>([
    ['no cases', '<testsuites/>', 'It contains no cases'],
    [
      'a suite that failed without a case',
      suite('<testcase name="a"/>', ' failures="2"'),
      'The suite "s" counts 2 failures, but none of its cases failed',
    ],
    ['a plan of TAP that was not kept', '1..3\nok 1 - a\n', 'It planned 3 tests, but 1 ran'],
    ['TAP without a plan', 'ok 1 - a\nok 2 - b\n', 'It has no plan (1..N)'],
    ['TAP with a plan of a subtest only', '    1..1\n    ok 1 - a\nok 1 - s\n', 'It has no plan (1..N)'],
    ['TAP with more tests than planned', '1..1\nok 1 - a\nok 2 - b\n', 'It planned 1 test, but 2 ran'],
    ['TAP that bailed out', 'ok 1 - a\nBail out! no database\n', 'The run was ended early: no database'],
    [
      'a test of Go that did not end',
      '{"Action":"run","Package":"p","Test":"TestA"}',
      'The tests of p did not end',
    ],
    [
      'a package of Go that did not end',
      '{"Action":"run","Package":"p","Test":"TestA"}\n{"Action":"pass","Package":"p","Test":"TestA"}\n',
      'The package p did not end',
    ],
    [
      'a stream of Go that is cut in a line',
      '{"Action":"pass","Package":"p"}\n{"Action":"pass","Package":"q","Te',
      'Its last line (2) was cut off',
    ],
    [
      'a package of Go that failed without a test',
      '{"Action":"fail","Package":"p","Elapsed":1}',
      'The package p failed, but none of its tests did',
    ],
    [
      'a package of Go that did not build',
      '{"Action":"output","Package":"p","Output":"FAIL\\tp [build failed]\\n"}\n{"Action":"fail","Package":"p"}',
      'p: build failed, so none of its tests ran',
    ],
    [
      'lines that are no events',
      '{"Action":"pass","Package":"p"}\n{broken\n{"Action":"pass","Package":"q"}\n',
      'Line 2 is no event of go test',
    ],
    [
      'an error of Playwright outside of tests',
      '{"config":{},"suites":[],"errors":[{"message":"no web server"}]}',
      'An error outside of tests: no web server',
    ],
    [
      'cases of CTRF without a verdict',
      '{"results":{"tests":[{"name":"a","status":"other"}]}}',
      '1 case has the status "other"',
    ],
  ])('%s', async (_title, content, sentence) =>
    expect((await warnings(content)).join('\n')).toContain(sentence),
  );

  test('a test of Go that runs more than once in one run of its package fails if it fails once', async () => {
    const event = (Action: string) => JSON.stringify({ Action, Package: 'p', Test: 'TestA' });
    const again = ['run', 'fail', 'run', 'pass'].map(event).join('\n');
    expect(await cases(again)).toEqual(['p | TestA | failed']);
    expect(
      await cases(again.replace('\n{"Action":"run"', '\n{"Action":"fail","Package":"p"}\n{"Action":"run"')),
    ).toEqual(['p | TestA | passed']);
  });

  test.each([
    ['<p>printed by a test</p>\nTAP version 13\n1..1\nok 1 - a\n'],
    ['<-- GET /cart\n1..1\nok 1 - a\n'],
    ['<!-- debug -->\nTAP version 14\nok 1 - a\n1..1\n'],
    ['{"level":"info"}\nTAP version 13\n1..1\nok 1 - a\n'],
    ['[{"level":"info"}]\nTAP version 13\n1..1\nok 1 - a\n'],
  ])('TAP may follow what tests print: %p', async (content) => {
    const { format, cases: read, warnings: said } = await readContent(content);
    expect([format, read.length, said]).toEqual(['tap', 1, []]);
  });

  test.each([
    [suite('<testcase name="a"><system-out>\nok 1 - b\n1..1\n</system-out></testcase>')],
    [`<!-- a\n-->${suite('<testcase name="a"><system-out>\nok 1 - b\n</system-out></testcase>')}`],
  ])('TAP in the output of a report in XML is output: %p', async (content) =>
    expect((await readContent(content)).format).toBe('junit'),
  );

  test('PowerShell writes what it redirects in UTF-16', async () => {
    const text = '\ufeff{"Action":"pass","Package":"p","Test":"TestÄ","Elapsed":0.5}\r\n';
    const bytes = new Uint8Array(Uint16Array.from(text, (character) => character.charCodeAt(0)).buffer);
    const read = await readContent(bytes);
    expect(read.cases.map(({ name, status }) => [name, status])).toEqual([['TestÄ', 'passed']]);
  });

  test('a todo of Allure has no status', async () =>
    expect(await cases('{"uuid":"1","name":"a","stage":"pending"}')).toEqual(['a | skipped']));
});
