import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { quickest } from '../../../test/measure.ts';
import { statusCounts } from '../rules/test-status.ts';
import { reportHtml } from './report-html.ts';
import { reportPdf, reportTypefaces } from './report-pdf.ts';
import { donut, shownGroups, shownTests, statusColours, type RunReport } from './run-report.ts';

const none = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
const counts = statusCounts({ ...none, passed: 6, failed: 2, untested: 4 });
const report: RunReport = {
  runId: 7,
  projectId: 1,
  projectName: 'Shop <b>&',
  runName: 'Nightly "<script>alert(1)</script>"',
  runDescription: 'Жук & über',
  status: 'active',
  createdAt: '2026-01-01T00:00:00.000Z',
  lockedAt: null,
  madeAt: '2026-01-02T00:00:00.000Z',
  query: null,
  verdict: 'Failed: 2 of 12 tests.',
  testers: [{ name: 'Ada <b>', tests: 8 }],
  trend: [
    { runName: 'Nightly <1>', passRate: 40 },
    { runName: 'Nightly 2', passRate: 50 },
  ],
  counts,
  bySection: [{ name: 'Checkout > Payment', counts }],
  bySquad: [{ name: 'no squad', counts }],
  open: [
    {
      testId: 3,
      testName: 'Pay',
      section: 'Checkout',
      status: 'failed',
      comment: '<img src=x>',
      issues: ['SHOP-7'],
      files: ['basket.png', '<log>.txt'],
    },
  ],
  openTotal: 3,
};

test('the colours of a report are those of the console', () => {
  const tokens = readFileSync(
    join(import.meta.dir, '..', '..', 'console', 'app', 'design', 'base.css'),
    'utf8',
  );
  for (const [status, colour] of Object.entries(statusColours))
    expect([status, new RegExp(`--${status}: light-dark\\((#[0-9a-f]{6})`).exec(tokens)?.[1]]).toEqual([
      status,
      colour,
    ]);
});

test('a report says its times as a person reads them', () => {
  const html = [...reportHtml({ ...report, lockedAt: '2026-01-01T18:05:59.123Z' })].join('');
  expect(html).toContain(
    'created 1 Jan 2026, 00:00 UTC · locked 1 Jan 2026, 18:05 UTC · report of 2 Jan 2026, 00:00 UTC',
  );
  expect(html).not.toMatch(/\d\.\d{3}Z/);
});

describe('the ring', () => {
  test('has an arc for each status that a test has, one after the other', () => {
    const arcs = [
      ...donut(counts).matchAll(/<path d="M (\S+ \S+) A 60 60 0 (\d) 1 (\S+ \S+)"[^>]*stroke="(\S+)"/g),
    ];
    expect(arcs.map(([, from, large, to, colour]) => [from, large, to, colour])).toEqual([
      ['80.000 20.000', '0', '80.000 140.000', '#14693a'],
      ['80.000 140.000', '0', '28.038 110.000', '#c22f26'],
      ['28.038 110.000', '0', '80.000 20.000', '#5d6673'],
    ]);
  });
  test('of one status alone is a whole ring, of none a grey one', () => {
    expect(donut(statusCounts({ ...none, failed: 1 }))).toContain(
      '<circle cx="80" cy="80" r="60" fill="none" stroke="#c22f26"',
    );
    expect(donut(statusCounts(none))).toContain('stroke="#e0e0e0"');
  });
});

describe('the page', () => {
  const page = [...reportHtml(report)].join('');
  test('holds everything it shows and loads and runs nothing', () => {
    expect(page).not.toMatch(/<script|<link|@import|url\(|src=(?!x&gt;)/i);
    expect(page).toContain(`default-src &#39;none&#39;`);
  });
  test('shows names as they are', () => {
    expect(page).toContain('<h1>Nightly &quot;&lt;script&gt;alert(1)&lt;/script&gt;&quot;</h1>');
    expect(page).toContain('Shop &lt;b&gt;&amp;');
    expect(page).toContain('&lt;img src=x&gt;');
  });
  test('begins with the outcome, and says who tested and how it was before', () => {
    expect(page).toContain('<strong>Failed: 2 of 12 tests.</strong>');
    expect(page).toContain('Ada &lt;b&gt; (8)');
    expect(page).toContain('<td class="left">SHOP-7</td>');
    expect(page).toContain('<div class="files">Files: basket.png, &lt;log&gt;.txt</div>');
    expect(page).toContain('40.0 %, 50.0 %');
    expect(page).toContain('Nightly &lt;1&gt;: 40.0 % passed');
    expect(page.indexOf('Failed, blocked')).toBeLessThan(page.indexOf('By section'));
  });
  test('has the numbers, and says what it leaves out', () => {
    expect(page).toContain('passed</td><td>6</td><td>50.0</td>');
    expect(page).toContain('… and 2 more.');
    const many = Array.from({ length: shownGroups + 5 }, (_, i) => ({ name: `s${i}`, counts }));
    const long = [...reportHtml({ ...report, bySection: many })].join('');
    expect(long).toContain('… and 5 more.');
    expect(long).not.toContain(`s${shownGroups}<`);
  });
});

describe('the PDF', () => {
  const made = async (of: RunReport) => {
    const pieces = [...reportPdf(of, await reportTypefaces())];
    return Buffer.concat(pieces);
  };

  /** The text of a PDF: the glyphs of every page, decoded with the file's own character map. */
  function textOf(bytes: Buffer): string {
    const streams = [
      ...bytes.toString('latin1').matchAll(/\/Length (\d+) \/Filter \/FlateDecode ([^>]*)>>\nstream\n/g),
    ].flatMap((found) => {
      const from = found.index + found[0].length;
      // The typefaces themselves contain no text.
      if (found[2] !== '') return [];
      return [inflateSync(bytes.subarray(from, from + Number(found[1]))).toString('latin1')];
    });
    const letters = new Map(
      streams.flatMap((text) =>
        [...text.matchAll(/^<([0-9a-f]{4})> <([0-9a-f]{4})>$/gm)].map(
          ([, shape = '', letter = '']) =>
            [shape, String.fromCodePoint(Number.parseInt(letter, 16))] as const,
        ),
      ),
    );
    return streams
      .flatMap((text) => [...text.matchAll(/<([0-9a-f]*)> Tj/g)])
      .map(([, shapes = '']) =>
        (shapes.match(/.{4}/g) ?? []).map((shape) => letters.get(shape) ?? '?').join(''),
      )
      .join('\n');
  }

  test('is one: a list of objects that is right, real text, and a number on every page', async () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ name: `Section ${i}`, counts }));
    const bytes = await made({ ...report, bySection: many });
    const text = bytes.toString('latin1');
    expect(text.slice(0, 5)).toBe('%PDF-');
    expect(text.trimEnd().slice(-5)).toBe('%%EOF');
    const listAt = Number(/startxref\n(\d+)\n/.exec(text)?.[1]);
    const list = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [nf] \n)+)trailer/.exec(text.slice(listAt));
    const offsets = (list?.[2] ?? '').split(' \n').filter(Boolean);
    expect(offsets.length).toBe(Number(list?.[1]));
    for (const [id, offset] of offsets.entries()) {
      if (id > 0)
        expect(text.slice(Number(offset.slice(0, 10)), Number(offset.slice(0, 10)) + 12)).toStartWith(
          `${id} 0 obj\n`,
        );
    }
    const pages = Number(/\/Type \/Pages \/Count (\d+)/.exec(text)?.[1]);
    expect(pages).toBeGreaterThan(3);
    const read = textOf(bytes);
    expect(read).toContain('Жук & über');
    expect(read).toContain('Section 199');
    expect(read.replaceAll('\n', ' ')).toContain('Files: basket.png, <log>.txt');
    expect(read).toContain(`${pages} / ${pages}`);
    expect(read).toContain('… and 2 more.');
    expect(read).not.toContain('�');
  });

  test('cuts long comments and says where the rest is', async () => {
    const [one] = report.open;
    if (!one) throw new Error('no open test');
    const comment = `${'word '.repeat(400)}END`;
    const read = textOf(await made({ ...report, open: [{ ...one, issues: [], comment }] })).replaceAll(
      '\n',
      ' ',
    );
    expect(read).toContain('… more in the HTML report');
    expect(read).not.toContain('END');
    expect((read.match(/word/g) ?? []).length).toBe(200);
  });

  test.each([
    ['Chinese', '登录', 2],
    ['Hebrew', 'שלום', 4],
    ['Arabic', 'مرحبا', 5],
    ['emoji of several code points', '👩‍👩‍👧', 1],
    ['half a character', '\ud83d', 1],
  ])('shows letters that its typeface lacks as what they are: %s', async (_title, runName, count) => {
    const read = textOf(await made({ ...report, runName }));
    expect((read.split('\n')[0]?.match(/�/g) ?? []).length).toBe(count);
    expect(read.replaceAll('\n', ' ')).toContain('The HTML report of the run shows all of them.');
  });

  test('a row that is higher than a page goes on on the next', async () => {
    const [one] = report.open;
    if (!one) throw new Error('no open test');
    const lines = Array.from({ length: 190 }, (_, n) => `l${n}`).join('\n');
    const read = textOf(await made({ ...report, open: [{ ...one, issues: [], comment: lines }] }));
    for (const line of ['l0', 'l100', 'l189']) expect(read).toContain(`\n${line}\n`);
    expect((read.match(/^Comment$/gm) ?? []).length).toBeGreaterThan(2);
  });

  test('500 tests with long comments: no step is long, and the file is small', async () => {
    const open = Array.from({ length: shownTests }, (_, testId) => ({
      testId,
      testName: `Test ${testId} of something`,
      section: 'Checkout > Payment > Card',
      status: 'failed' as const,
      comment: 'The page did not load within 30 s: connection refused. '.repeat(180),
      issues: [],
      files: [],
    }));
    const faces = await reportTypefaces();
    const longestStep = () => {
      let longest = 0;
      let size = 0;
      let since = performance.now();
      for (const piece of reportPdf({ ...report, open, openTotal: 1_000 }, faces)) {
        const now = performance.now();
        longest = Math.max(longest, now - since);
        since = now;
        size += piece.byteLength;
      }
      expect(size).toBeLessThan(2_000_000);
      return longest;
    };
    // The library blocked the event loop for 20 s.
    expect(quickest(longestStep, 30)).toBeLessThan(30);
  }, 30_000);
});
