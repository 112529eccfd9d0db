import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countText, doneText, numberText, percentText, shareText } from './amount.ts';

test.each([
  [numberText(50_000), '50,000'],
  [countText(1, 'test'), '1 test'],
  [countText(0, 'test'), '0 tests'],
  [countText(50_000, 'test'), '50,000 tests'],
  [countText(2, 'CTA that is live', 'CTAs that are live'), '2 CTAs that are live'],
  [doneText(1, 'test', 'imported'), '1 test was imported'],
  [doneText(1_200, 'test', 'imported'), '1,200 tests were imported'],
  [percentText(41.7), '42 %'],
  [percentText(45), '45 %'],
  [percentText(99.6), '99 %'],
  [percentText(0.2), '1 %'],
  [percentText(100), '100 %'],
  [shareText(0, 0), '0 %'],
  [shareText(5, 12), '42 %'],
])('%p', (text, wanted) => expect(text).toBe(wanted));

/** A count before its word, as in `${count} tests`: it would say "1 tests" and "50000 tests". */
const bareCount =
  /\}\s+(?:tests|users|runs|sections|rows|results|records|people|members|changes|attempts|steps|events|lines|values|comments|projects|sessions|tokens|settings|impressions|faults|cohorts|seconds)\b(?!=)/;
/** A plural that is made by hand, as in `count === 1 ? 'test' : 'tests'`. */
const ownPlural = /=== 1\s*\?\s*(?:'[a-z]|[\w.]*singular)/;

describe('a count and its word come from countText', () => {
  const folder = join(import.meta.dir, '..');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.') && name !== 'design/amount.ts',
  );
  test('of every source of the console', () => {
    const found = files.flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        // The name of a project before the name of a page is no count.
        .filter((line) => (bareCount.test(line) || ownPlural.test(line)) && !line.includes('projectName}'))
        .map((line) => `${name}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
  test.each([
    "{total} {total === 1 ? 'cohort' : 'cohorts'}",
    '`${total} ${total === 1 ? listing.singular : plural} added`',
    '{erased.sessionsEnded} sessions ended',
  ])('%p would be found', (line) => expect(bareCount.test(line) || ownPlural.test(line)).toBe(true));
});
