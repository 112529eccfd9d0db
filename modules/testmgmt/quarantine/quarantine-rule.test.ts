import { describe, expect, test } from 'bun:test';
import type { TestStatus } from '../rules/test-status.ts';
import { defaultBranchOf, maxQuarantined, passesInRow, quarantineEnd } from './quarantine-rule.ts';

const now = Date.parse('2026-11-01T12:00:00Z');

test.each([
  ['2026-11-01', '2026-11-02T00:00:00.000Z'],
  ['2026-12-01', '2026-12-02T00:00:00.000Z'],
  ['2026-11-01T12:00:01Z', '2026-11-01T12:00:01.000Z'],
  ['2026-11-05T09:00+02:00', '2026-11-05T07:00:00.000Z'],
  ['2027-01-30', '2027-01-31T00:00:00.000Z'],
  ['2027-02-01', 'until is more than 90 days ahead.'],
  ['2026-10-31', 'until is in the past.'],
  ['2026-11-01T12:00Z', 'until is in the past.'],
  ['2026-11-31', /^until is neither/],
  ['2026-11-31T09:00Z', /^until is neither/],
  ['14d', /^until is neither/],
  ['', /^until is neither/],
])('until %s', (text, expected) => {
  const end = quarantineEnd(text, now);
  const said = typeof end === 'string' ? end : new Date(end).toISOString();
  if (typeof expected === 'string') expect(said).toBe(expected);
  else expect(said).toMatch(expected);
});

test.each([
  [0, 1],
  [1, 1],
  [39, 1],
  [40, 2],
  [100_000, 5_000],
])('of %d tests %d may be in quarantine', (tests, most) => {
  expect(maxQuarantined(tests)).toBe(most);
});

test.each([
  ['', 0],
  ['ppp', 3],
  ['pfp', 1],
  ['fpp', 0],
  ['purp', 2],
  ['pb', 1],
])('%s: %d passes in a row', (letters, passes) => {
  const words: Record<string, TestStatus> = {
    p: 'passed',
    f: 'failed',
    b: 'blocked',
    u: 'untested',
    r: 'retest',
  };
  expect(passesInRow([...letters].map((letter) => words[letter] ?? 'untested'))).toBe(passes);
});

describe('the default branch', () => {
  const of = (...names: Array<string | [string, string]>) =>
    defaultBranchOf(
      names.map((name) =>
        typeof name === 'string'
          ? { branch: name, baseBranch: null }
          : { branch: name[0], baseBranch: name[1] },
      ),
    );
  test.each([
    [of(), null],
    [of('feature'), null],
    [of('feature', 'master'), 'master'],
    [of('develop', 'main'), 'main'],
    [of('feature', ['fix', 'release'], 'main'), 'release'],
    [of(['fix', '']), null],
  ])('%#', (found, expected) => expect(found).toBe(expected));
});
