import { describe, expect, test } from 'bun:test';
import { donut, shownGroups, type RunReport } from './report.ts';
import { reportHtml } from './report-html.ts';
import { reportPdf } from './report-pdf.ts';
import { statusCounts } from './run-status.ts';

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
  counts,
  bySection: [{ name: 'Checkout > Payment', counts }],
  bySquad: [{ name: 'no squad', counts }],
  open: [{ testId: 3, testName: 'Pay', section: 'Checkout', status: 'failed', comment: '<img src=x>' }],
  openTotal: 3,
};

describe('the ring', () => {
  test('has an arc for each status that a test has, one after the other', () => {
    const arcs = [
      ...donut(counts).matchAll(/<path d="M (\S+ \S+) A 60 60 0 (\d) 1 (\S+ \S+)"[^>]*stroke="(\S+)"/g),
    ];
    expect(arcs.map(([, from, large, to, colour]) => [from, large, to, colour])).toEqual([
      ['80.000 20.000', '0', '80.000 140.000', '#2e7d32'],
      ['80.000 140.000', '0', '28.038 110.000', '#c62828'],
      ['28.038 110.000', '0', '80.000 20.000', '#9e9e9e'],
    ]);
  });
  test('of one status alone is a whole ring, of none a grey one', () => {
    expect(donut(statusCounts({ ...none, failed: 1 }))).toContain(
      '<circle cx="80" cy="80" r="60" fill="none" stroke="#c62828"',
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
  test('has the numbers, and says what it leaves out', () => {
    expect(page).toContain('passed</td><td>6</td><td>50.0</td>');
    expect(page).toContain('… and 2 more.');
    const many = Array.from({ length: shownGroups + 5 }, (_, i) => ({ name: `s${i}`, counts }));
    const long = [...reportHtml({ ...report, bySection: many })].join('');
    expect(long).toContain('… and 5 more.');
    expect(long).not.toContain(`s${shownGroups}<`);
  });
});

test('the PDF is one, with its title, a typeface and a page number for each page', async () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ name: `Section ${i}`, counts }));
  const bytes = Buffer.from(await reportPdf({ ...report, bySection: many }));
  const text = bytes.toString('latin1');
  expect(text.slice(0, 5)).toBe('%PDF-');
  expect(text.trimEnd().slice(-5)).toBe('%%EOF');
  const pages = Number(/\/Type \/Pages\s*\/Count (\d+)/.exec(text)?.[1] ?? /\/Count (\d+)/.exec(text)?.[1]);
  expect(pages).toBeGreaterThan(3);
  expect(text).toMatch(/\/FontName \/\w+\+Roboto/);
  // Real text: every typeface in it says which letters its shapes are.
  expect((text.match(/\/ToUnicode/g) ?? []).length).toBeGreaterThan(0);
}, 30_000);
