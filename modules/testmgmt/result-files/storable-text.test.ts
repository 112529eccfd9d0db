import { expect, test } from 'bun:test';
import { readContent } from './testing/read-text.ts';

/** A report of one failed case, all of whose texts are the given one. */
const reports: Readonly<Record<string, (text: string) => string>> = {
  ctrf: (n) =>
    JSON.stringify({
      results: {
        tool: { name: 'x' },
        tests: [
          {
            name: n,
            suite: [n],
            status: 'failed',
            message: n,
            filePath: n,
            tags: [n],
            labels: { [n]: n },
            stdout: [n],
            browser: n,
            attachments: [{ path: n }],
          },
        ],
      },
    }),
  playwright: (n) =>
    JSON.stringify({
      config: {},
      errors: [{ message: n }],
      suites: [
        {
          title: n,
          specs: [
            {
              title: n,
              tests: [{ status: 'unexpected', results: [{ status: 'failed', error: { message: n } }] }],
            },
          ],
        },
      ],
    }),
  'go test -json': (n) =>
    ['run', 'output', 'fail']
      .map((Action) => JSON.stringify({ Action, Package: n, Test: n, Output: `${n}\n`, Elapsed: 1 }))
      .join('\n'),
  tap: (n) => `TAP version 13\nnot ok 1 - ${n}\n  ---\n  message: ${n}\n  ...\nBail out! ${n}\n`,
};

/** @see docs/contract.md, 1.2: PostgreSQL stores neither, and the upload was refused with 500. */
test.each(Object.keys(reports))(
  'U+0000 and half a character of %s become what can be stored',
  async (format) => {
    const { cases, warnings } = await readContent(reports[format]?.('a\0b\ud83dc') ?? '');
    const read = JSON.stringify([cases, warnings]);
    expect(read).toContain('a␀b\ufffdc');
    expect(read).not.toMatch(/\\u(?:0000|d[89a-f])/);
    expect(cases).toHaveLength(1);
  },
);

test('half a character where a long text was cut becomes U+FFFD', async () => {
  const [long, tail] = [`${'m'.repeat(9_999)}🙂`, `🙂${'m'.repeat(3_999)}`];
  const tests = [{ name: 'a', status: 'failed', message: long, stdout: [tail] }];
  const { cases } = await readContent(JSON.stringify({ results: { tests } }));
  expect(JSON.stringify(cases)).not.toMatch(/\\ud[89a-f]/);
});

test('a pause of the reader between two escapes of one letter leaves the letter', async () => {
  const printed = String.raw`\ud83d\ude42`.repeat(40_000);
  for (let before = 0; before < 12; before++) {
    const content = reports['ctrf']?.('n').replace(
      '"stdout":["n"]',
      `"stdout":["${'a'.repeat(before)}${printed}"]`,
    );
    const { cases } = await readContent(content ?? '');
    expect(cases[0]?.output).toMatch(/^(?:🙂)+$/u);
  }
});
