import { expect, test } from 'bun:test';
import { demoChoice } from './demo-choice.ts';
import { demoOutcomes, isAutomated } from './demo-outcomes.ts';
import { demoKey, demoTests } from './demo-tests.ts';

const tests = demoTests();

test('300 tests in a tree, each whole, none twice', () => {
  expect(tests.length).toBe(300);
  expect(new Set(tests.map((one) => demoKey(one))).size).toBe(300);
  expect(new Set(tests.map(({ sectionPath }) => sectionPath.join(' > '))).size).toBe(25);
  for (const { testName, steps, preconditions, squad, platform, labels } of tests) {
    expect([testName, steps.length]).toEqual([testName, 3]);
    for (const { action, expected } of steps)
      expect([testName, action.length > 5 && expected.length > 5]).toEqual([testName, true]);
    for (const text of [preconditions, squad, platform, ...labels])
      expect([testName, text.trim() !== '' && !/[|>]|=>/.test(text)]).toEqual([testName, true]);
  }
  expect(demoTests()).toEqual(tests);
});

test('a quarter looks as a quarter does: most pass, some are flaky, what failed is fixed with a word about it', () => {
  const outcomeOf = demoOutcomes(tests, demoChoice(42));
  const days = Array.from({ length: 26 }, (_, n) => 1 + n * 3.5);
  const rows = tests.map((one) => ({ one, outcomes: [] as string[], comments: new Set<string>() }));
  for (const day of days)
    for (const row of rows) {
      const { status, comment } = outcomeOf(row.one, day);
      row.outcomes.push(status);
      if (status !== 'passed') expect(comment).toMatch(/\w/);
      if (comment !== undefined) row.comments.add(comment.replace(/:.*/, ''));
    }
  const all = rows.flatMap(({ outcomes }) => outcomes);
  const share = all.filter((status) => status === 'passed').length / all.length;
  expect(share).toBeGreaterThan(0.93);
  expect(share).toBeLessThan(0.99);
  expect(all).toContain('blocked');
  const flips = ({ outcomes }: (typeof rows)[number]) =>
    outcomes.filter((status, n) => n > 0 && status !== outcomes[n - 1]).length;
  expect(rows.filter((row) => isAutomated(row.one) && flips(row) >= 3).length).toBeGreaterThan(4);
  expect(
    rows.filter(({ outcomes }) => outcomes.slice(-5).every((status) => status === 'failed')).length,
  ).toBe(2);
  const fixed = rows.filter(({ comments }) =>
    [...comments].some((text) => /^SHOP-\d+ is fixed\.$/.test(text)),
  );
  expect(fixed.length).toBeGreaterThan(12);
});
