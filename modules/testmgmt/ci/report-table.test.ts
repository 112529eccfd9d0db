import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { greenReport, hostileReport, redReport } from '../testing/upload-reports.ts';
import { reportTable } from './report-table.ts';

test('a green report is short', () => {
  expect(reportTable(greenReport, { width: 80 })).toBe(`Passed: 234 of 240 tests
234 passed, 0 failed, 6 skipped
Run 17, key github:acme/shop:CI:1658821493:1a2b3c4:1
https://trivet.example.com/console/projects/1/runs/17
Compared with run 16: CI #122 · main @ 0f1e2d3
- reports/junit.xml (junit): 240 tests, 0 failed
`);
});

test('a red one has the lists, the worst first', () => {
  expect(reportTable({ ...redReport, runId: null, url: 'javascript:alert(1)' }, { width: 60 }))
    .toBe(`Failed: 3 of 240 tests, 2 of them newly
231 passed, 3 failed, 6 skipped, 1 flaky, 1 new
No run yet, key github:acme/shop:CI:1658821493:1a2b3c4:1
Compared with run 16: CI #122 · main @ 0f1e2d3
- reports/junit.xml (junit): 240 tests, 0 failed

Newly failing (2)
  - Cart > adds an item
    at /home/runner/work/shop/shop/src/cart.test.ts:12
    │ expected 2 to be 3
  - Checkout > pays, with 100 %  at src/pay.test.ts

Still failing (1)
  - Checkout > ships

Fixed (1)
  - Search > sorts

Flaky (1)
  - Search > finds  at src/search.test.ts:3
    │ timeout

Renamed? (2)
  - Cart > add → Cart > adds
    92 % alike, the history is of test 5
    at src/cart.test.ts
  - Pay → Pays  joined to test 6

Several cases with one name (1)
  - Cart > sums  3 cases, at src/cart.test.ts

Missing (130)
  - Cart > old  at src/old.test.ts
  - … and 129 more

Created tests (1)
  - Cart > empties

Warnings (1)
  - reports/junit.xml: 2 files of tests could not be
    │ loaded.
`);
});

describe('lists', () => {
  const names = Array.from({ length: 30 }, (_, at) => ({ testId: at, name: `test ${at}` }));
  test('name ten, and say how many more there are', () => {
    const table = reportTable({ ...greenReport, fixed: names, fixedCount: 1_000 }, { width: 80 });
    expect(table).toEndWith('  - test 8\n  - test 9\n  - … and 990 more\n');
  });
  test('do not call a newly failing test a known one where the report names only the first', () => {
    const newly = { newlyFailingCount: 3, newlyFailing: redReport.newlyFailing.slice(0, 1) };
    const table = reportTable(
      { ...redReport, ...newly, totals: { ...redReport.totals, failed: 5 } },
      { width: 80 },
    );
    expect(table).toContain('\nStill failing (2)\n  - … and 2 more\n');
  });
  test('say Failing where there is nothing to compare with', () => {
    const report = { ...redReport, newlyFailing: [], newlyFailingCount: 0, comparedWith: null };
    const table = reportTable(report, { width: 80 });
    expect(table).toContain('\nFailing (3)\n');
    expect(table).toContain('\nCompared with no run: there is none before it.\n');
  });
});

test('whatever the names are, lines fit, begin with ours, and have nothing that a terminal or a log obeys', () => {
  fc.assert(
    fc.property(hostileReport, fc.integer({ min: 1, max: 140 }), (report, width) => {
      const lines = reportTable({ ...report, url: '' }, { width }).split('\n');
      for (const line of lines.slice(2)) {
        expect(line).toMatch(/^(?:$|Run 17|Compared|- |  (?: {2})?[-│ ] ?\S|[A-Z][a-z ]+\?? \(\d+\)$)/u);
        expect(line).not.toMatch(/[\p{Cc}\u202e\u2028]|##\w*\[|^\s*::/u);
        expect(line.isWellFormed()).toBe(true);
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(Math.max(width, 32));
      }
    }),
    { numRuns: 1_000 },
  );
});
