import { describe, expect, test } from 'bun:test';
import { jsonDepthLimit, jsonLimit, textEnd } from './text/json-document.ts';
import { lineLimit } from './text/line-reader.ts';
import { nameLimit } from './cases/reported-case.ts';
import { readContent, refusalOf } from './testing/read-text.ts';
import { settled } from '../../../test/rejection.ts';

const playwright = (status: string, results = '[]') =>
  `{"config":{},"suites":[{"title":"a","specs":[{"title":"b","tests":[{"status":"${status}","results":${results}}]}]}]}`;
const ctrf = (test: string) => `{"results":{"tool":{"name":"x"},"tests":[${test}]}}`;

describe('a file that cannot be read names its fault', () => {
  const refused: ReadonlyArray<readonly [string, string, string]> = [
    [
      'JSON that was cut off',
      '{"results":{\n"tests":[{"name":"a"',
      'line 2, column 21: It ends before its JSON is complete',
    ],
    [
      'JSON with a wrong word',
      '{"results":\n  [tru, 1]}',
      'line 2, column 4: It is not valid JSON: there is "tru" where a value should be',
    ],
    [
      'JSON with a comma too many',
      '{"a":[1,],"b":1}',
      'column 9: It is not valid JSON: there is "]" where a value',
    ],
    [
      'JSON without a colon',
      '{"a" 1}',
      'column 6: It is not valid JSON: there is "1" where a colon should be',
    ],
    [
      'JSON with a key that is no text',
      '{a:1}',
      'column 2: It is not valid JSON: there is "a" where a key should be',
    ],
    ['JSON with an unknown escape', '{"a":"\\x"}', 'It is not valid JSON: "\\x" is no escape'],
    ['JSON with a line end in a text', '{"a":"b\nc"}', 'a text contains a line end or control character'],
    ['JSON with too many ends', '{"a":1}}', 'column 8: It is not valid JSON'],
    ['deep JSON', '['.repeat(3) + '{"a":'.repeat(jsonDepthLimit), 'is in no format'],
    [
      'deep JSON in an object',
      '{"a":'.repeat(jsonDepthLimit + 1),
      `It nests values deeper than ${jsonDepthLimit} levels`,
    ],
    [
      'JSON of another form',
      '{"name":"trivet","version":"1"}',
      'It is JSON, but in no form that is known here',
    ],
    ['a package of JSON', '[{"a":1}]', 'It is JSON, but in no form that is known here'],
    ['messages of Cucumber', '{"meta":{}}\n{"gherkinDocument":{}}', 'It has the messages of Cucumber'],
    [
      'an unknown status in CTRF',
      ctrf('{"name":"a","status":"fine","duration":1}'),
      'The test "a" has the status "fine", which is unknown',
    ],
    ['no status in CTRF', ctrf('{"name":"a"}'), 'The test "a" has the status "", which is unknown'],
    [
      'an unknown status of Playwright',
      playwright('fine'),
      'The test "b" has the status "fine", which is unknown',
    ],
    [
      'an unknown status of Allure',
      '{"uuid":"1","name":"a","status":"fine"}',
      'The test "a" has the status "fine", which is unknown',
    ],
    [
      'an unknown status of Cucumber',
      '[{"uri":"a","elements":[{"name":"b","steps":[{"result":{"status":"fine"}}]}]}]',
      'A step of "b" has the status "fine", which is unknown',
    ],
    [
      'a long name in JSON',
      ctrf(`{"name":"${'a'.repeat(nameLimit + 1)}","status":"passed"}`),
      `the limit is ${nameLimit}`,
    ],
    [
      'what go test prints for people',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \texample.org/a\t0.1s',
      'Use `go test -json`',
    ],
    ['what go test prints without -v', 'ok  \texample.org/a\t0.1s', 'Use `go test -json`'],
    [
      'a long line',
      `TAP version 13\nok 1 - ${'a'.repeat(lineLimit)}`,
      `A line has more than ${lineLimit} characters`,
    ],
    [
      'an unknown outcome in TRX',
      '<TestRun><Results><UnitTestResult outcome="Fine"/></Results></TestRun>',
      'has the outcome "Fine", which is unknown',
    ],
    [
      'an unknown result of NUnit',
      '<test-run><test-case result="Fine"/></test-run>',
      'has the result "Fine", which is unknown',
    ],
    [
      'no result of NUnit',
      '<test-run>\n<test-case/></test-run>',
      'line 2, column 12: A test-case has the result ""',
    ],
    [
      'an unknown result of xUnit.net',
      '<assembly><test result="Fine"/></assembly>',
      'has the result "Fine", which is unknown',
    ],
    [
      'a long name in NUnit',
      `<test-run><test-case result="Passed" name="${'a'.repeat(nameLimit + 1)}"/></test-run>`,
      'the limit is',
    ],
    ['entities in TRX', '<!DOCTYPE a [<!ENTITY b "c">]><TestRun/>', 'declares a document type with content'],
  ];

  test.each(refused)('%s', async (_title, content, sentence) => {
    const said = await refusalOf(content);
    expect(said).toContain(sentence);
    for (const chunk of content.length < 1_000 ? [1, 2, 3, 7] : [])
      expect(await refusalOf(content, { chunk })).toBe(said);
  });

  test('JSON of more than the limit', async () => {
    const part = new TextEncoder().encode(`{"a":"${'x'.repeat(1_048_576)}"}\n`);
    const count = Math.ceil(jsonLimit / part.length);
    async function* many() {
      for (let i = 0; i <= count; i++) yield part;
    }
    const { readResultFile } = await import('./result-file.ts');
    const { signal } = new AbortController();
    expect(await settled(readResultFile(many(), { name: 'a.json', signal }))).toThrow(
      'a.json: It has more than 64 MiB, the limit for JSON. Upload it in parts, or let the tool write JUnit XML.',
    );
  });
});

describe('JSON is what JSON.parse says', () => {
  const values: readonly unknown[] = [
    {},
    [],
    [[], {}, [{}]],
    { a: { b: [1, -2.5e-7, 1e21, 0, true, false, null, ''] } },
    'a "b" \\ / \b \f \n \r \t \u0001 \u2028 ä 🙂 \ud83d',
    ['\u0000', '\\u0041', '__proto__'],
    { constructor: 1, toString: [2], '': 3, '1': 4 },
  ];
  test.each(values.map((value) => [JSON.stringify(value), value] as const))('%s', async (text, value) => {
    const { JsonDocument } = await import('./text/json-document.ts');
    for (const size of [1, 2, 5, 1_000]) {
      for (const shown of [text, JSON.stringify(value, null, 2)]) {
        const document = new JsonDocument();
        for (let at = 0; at < shown.length; at += size) document.write(shown.slice(at, at + size));
        document.end();
        expect(document.roots).toEqual([value]);
      }
    }
  });

  test('of a long text the two ends are kept', async () => {
    const long = `begin${'\\n'.repeat(3 * textEnd)}end`;
    const { cases } = await readContent(
      ctrf(`{"name":"a","status":"failed","message":"${long}","stdout":["${long}"]}`),
    );
    expect(cases[0]?.attempts[0]?.message).toStartWith('begin');
    expect(cases[0]?.output).toBe('end');
  });

  test('a member __proto__ changes no prototype', async () => {
    const { cases } = await readContent(
      ctrf('{"__proto__":{"status":"passed"},"name":"a","status":"skipped"}'),
    );
    expect(cases[0]?.status).toBe('skipped');
  });
});
