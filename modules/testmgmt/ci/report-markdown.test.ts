import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { greenReport, hostileReport, redReport } from '../testing/upload-reports.ts';
import { lineOf } from './foreign-text.ts';
import { reportMarkdown } from './report-markdown.ts';

const head = (verdict: string, cells: string) => `### ${verdict}

| Tests | Passed | Failed | Skipped | Flaky | Fixed | New |
| --: | --: | --: | --: | --: | --: | --: |
| ${cells} |

[Run 17](<https://trivet.example.com/console/projects/1/runs/17>), key \`github:acme/shop:CI:1658821493:1a2b3c4:1\`, 1 file. Compared with run 16, \`CI #122 · main @ 0f1e2d3\`.

`;

test('a green report', () => {
  expect(reportMarkdown(greenReport)).toBe(head('Passed: 234 of 240 tests', '240 | 234 | 0 | 6 | 0 | 0 | 0'));
});

test('a red report', () => {
  const { newlyFailing, newlyFailingCount, totals, failing } = redReport;
  const report = { ...greenReport, newlyFailing, newlyFailingCount, totals, failing, missing: 7 };
  expect(reportMarkdown(report)).toBe(
    `${head('Failed: 3 of 240 tests, 2 of them newly', '240 | 231 | 3 | 6 | 1 | 0 | 0')}<details open><summary>Newly failing (2)</summary>

- \`Cart > adds an item\`, \`/home/runner/work/shop/shop/src/cart.test.ts:12\`

  \`\`\`
  expected 2 to be 3
      at src/cart.test.ts:14:5
  \`\`\`

- \`Checkout > pays, with 100 %\`, \`src/pay.test.ts\`

</details>

<details open><summary>Still failing (1)</summary>

- \`Checkout > ships\`

</details>

<details><summary>Flaky (1)</summary>


… and 1 more.

</details>

<details><summary>Missing (7)</summary>


… and 7 more.

</details>

`,
  );
});

/** The elements of the page that a CommonMark renderer produces, and the text outside code. */
async function rendered(
  markdown: string,
): Promise<{ readonly elements: Map<string, number>; readonly text: string }> {
  const html = Bun.markdown.html(markdown, { tables: true, autolinks: true, tagFilter: false });
  const elements = new Map<string, number>();
  let depth = 0;
  let text = '';
  const page = new HTMLRewriter()
    .on('*', {
      element(element) {
        const attributes = [...element.attributes].map(([name]) => name).filter((name) => name !== 'align');
        const name = [element.tagName, ...attributes].join(' ');
        elements.set(name, (elements.get(name) ?? 0) + 1);
        if (element.tagName !== 'code') return;
        depth++;
        element.onEndTag(() => void depth--);
      },
      comments(comment) {
        elements.set('<!--', comment.text.length);
      },
    })
    .onDocument({ text: (chunk) => void (text += depth === 0 ? chunk.text : '') });
  await page.transform(new Response(html)).text();
  return { elements, text };
}

/** The same report with names that consist of letters only, and the page that it produces. */
const harmless = (report: UploadReport): UploadReport => {
  // Different tests must stay different: the report omits newly failing tests from the failing ones.
  const numbers = new Map<string, string>();
  const plainText = (text: string) => {
    if (!numbers.has(text))
      numbers.set(text, lineOf(text) === '' ? ' '.repeat(numbers.size) : `n${numbers.size}`);
    return numbers.get(text) ?? '';
  };
  const plain = (test: UploadReport['failing'][number]) => ({
    ...test,
    name: plainText(test.name),
    ...(test.file === undefined ? {} : { file: plainText(test.file) }),
    ...(test.message === undefined ? {} : { message: '' }),
  });
  return {
    ...report,
    runKey: 'key',
    comparedWith: { runId: 1, runName: 'name' },
    newlyFailing: report.newlyFailing.map(plain),
    failing: report.failing.map(plain),
    flakyTests: report.flakyTests.map(plain),
    fixed: report.fixed.map(plain),
    missingTests: report.missingTests.map(plain),
    renamed: report.renamed.map((one) => ({
      ...one,
      from: 'name',
      to: 'name',
      file: plainText(one.file ?? ''),
    })),
    duplicates: report.duplicates.map((one) => ({ ...one, name: 'name', file: plainText(one.file ?? '') })),
    warnings: report.warnings.map(() => 'name'),
  };
};

describe('whatever the names are', () => {
  const allowed = new Set(
    'h3,table,thead,tbody,tr,th,td,p,a href,ul,li,code,pre,details,details open,summary'.split(','),
  );
  const owned = ['details', 'details open', 'summary', 'li', 'a href', 'td', 'h3'];

  test('the page has our elements only, and foreign text is code', async () => {
    await fc.assert(
      fc.asyncProperty(hostileReport, async (report) => {
        const markdown = reportMarkdown(report);
        const { elements, text } = await rendered(markdown);
        expect([...elements.keys()].filter((name) => !allowed.has(name))).toEqual([]);
        const usual = await rendered(reportMarkdown(harmless(report)));
        for (const name of owned)
          expect([name, elements.get(name)]).toEqual([name, usual.elements.get(name)]);
        expect(text).not.toMatch(/everyone|evil|img|section|error|mask|vso/);
        // GitHub's runner obeys a line of the log, if someone prints it there.
        expect(markdown).not.toMatch(/[^\P{Cc}\n]|\u202e|##\w*\[|^\s*::/mu);
        expect(markdown.isWellFormed()).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['</details><img src=x>', '`</details><img src=x>`'],
    ['@everyone', '`@everyone`'],
    ['a | b', '`a | b`'],
    ['`x`', '`` `x` ``'],
    ['a```b``', '```` a```b`` ````'],
    ['a\n\n# b', '`a # b`'],
    ['::error::x', '`: :error::x`'],
    ['\u001b[31mred\u001b[0m', '`red`'],
    ['', '`(no name)`'],
    ['x'.repeat(400), `\`${'x'.repeat(299)}…\``],
  ])('%j', (name, quoted) => {
    const report = { ...greenReport, fixed: [{ testId: 1, name }], fixedCount: 1 };
    expect(reportMarkdown(report)).toContain(`\n- ${quoted}\n`);
  });

  test.each([
    ['https://u:p@h.example/a>b)', '[Run 17](<https://h.example/a%3Eb)>)'],
    ['https://h.example/?a=1&copy;=\\', '[Run 17](<https://h.example/?a=1&amp;copy;=%5C>)'],
    ['javascript:alert(1)', 'Run 17'],
  ])('the address %s', (url, link) => {
    expect(reportMarkdown({ ...greenReport, url })).toContain(`\n${link}, key`);
  });
});

test('a report of everything is cut, and says so', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({
    testId: at,
    name: `${at} ${'n'.repeat(350)}`,
    message: `${'m'.repeat(300)}\n`.repeat(20),
    file: 'src/x.test.ts',
  }));
  const report = {
    ...redReport,
    totals: { ...redReport.totals, failed: 5_000 },
    newlyFailing: many.slice(0, 15),
    newlyFailingCount: 15,
    failing: [...many.slice(0, 15), ...many.slice(20)],
    fixed: many,
    fixedCount: 100,
  };
  const markdown = reportMarkdown(report);
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  expect(markdown.length).toBeGreaterThan(50_000);
  expect(markdown).toMatch(/… and 4,?9\d\d more\.\n/);
  expect(markdown.match(/<details/g)?.length).toBe(markdown.match(/<\/details>/g)?.length);
  expect(markdown).toMatch(/\nLeft out here for their length: [^\n]*Warnings \(1\)\.\n$/);
});
