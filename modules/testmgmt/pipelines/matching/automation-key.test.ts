import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { ReportedCase } from '../../result-files/cases/reported-case.ts';
import {
  explicitIdOf,
  keyOf,
  keyParts,
  keyText,
  nameIn,
  sectionPathOf,
  testNameOf,
} from './automation-key.ts';

const reported = (given: Partial<ReportedCase>): ReportedCase => ({
  suites: [],
  name: 'adds',
  status: 'passed',
  attempts: [{ status: 'passed' }],
  ...given,
});

describe('the key of a case', () => {
  test.each<[Partial<ReportedCase>, string]>([
    [{}, 'adds'],
    [{ suites: ['cart.test.ts', 'cart'] }, 'cart.test.ts > cart > adds'],
    [{ suites: ['', ' cart '], name: ' adds   an\titem ' }, 'cart > adds an item'],
    [{ parameters: '1-2' }, 'adds[1-2]'],
    [{ variant: 'firefox', parameters: '1' }, 'adds[1] {firefox}'],
    [{ suites: ['src\\cart.test.ts'] }, 'src/cart.test.ts > adds'],
    // Not a path, so it is unchanged.
    [{ suites: ['a \\ b'] }, 'a \\ b > adds'],
    [{ name: 'adds [T12]' }, 'adds'],
    [{ name: '[T12] adds', suites: ['cart [T7]'] }, 'cart > adds'],
    [{ name: '' }, '(no name)'],
    // One letter in two Unicode forms.
    [{ name: 'Zu\u0308rich' }, 'Z\u00fcrich'],
  ])('%j is %p', (given, expected) => {
    const key = keyOf(reported(given));
    expect(keyText(key)).toBe(expected);
    expect(keyParts(keyText(key), nameIn(key))).toEqual(key);
  });

  test('several cases with one name are told apart', () => {
    expect([1, 2, 3].map((number) => keyText(keyOf(reported({}), number)))).toEqual([
      'adds',
      'adds #2',
      'adds #3',
    ]);
  });
});

describe('the test that a case names itself', () => {
  test.each<[Partial<ReportedCase>, number | undefined]>([
    [{}, undefined],
    [{ name: 'adds [T12]' }, 12],
    [{ name: '[T12] adds' }, 12],
    [{ name: 'T12 adds' }, undefined],
    [{ name: 'adds [t12]' }, undefined],
    [{ name: 'adds [T]' }, undefined],
    [{ suites: ['cart [T7]'] }, 7],
    [{ suites: ['shop [T6]', 'cart [T7]'] }, 7],
    [{ suites: ['cart [T7]'], name: 'adds [T12]' }, 12],
    [{ tags: ['smoke', 'T12'] }, 12],
    [{ tags: ['@T12'] }, 12],
    [{ tags: ['trivet:12'] }, 12],
    [{ tags: ['t12a'] }, undefined],
    [{ properties: { 'trivet.id': '12' } }, 12],
    [{ properties: { 'trivet.id': 'T12' }, name: 'adds [T13]' }, 12],
    [{ properties: { 'trivet.id': 'twelve' } }, undefined],
    [{ properties: { id: '12' } }, undefined],
  ])('%j names %p', (given, expected) => {
    expect(explicitIdOf(reported(given))).toBe(expected as never);
  });
});

describe('the test that is created', () => {
  const long = 'x'.repeat(660);
  test.each([
    [keyOf(reported({ name: 'adds', parameters: '1-2' })), 'adds[1-2]'],
    [keyOf(reported({ name: long })), `${'x'.repeat(254)}…`],
  ])('is named', (key, expected) => {
    expect(testNameOf(key)).toBe(expected);
  });

  test('never has a name of more than 255 characters, and keeps its number', () => {
    for (const parameters of ['1', 'y'.repeat(200), 'y'.repeat(1_000)]) {
      const name = testNameOf(keyOf(reported({ name: long, parameters })));
      expect(name.length).toBeLessThanOrEqual(255);
    }
    expect(testNameOf(keyOf(reported({ name: long }), 2))).toEndWith('… #2');
  });

  test('is cut between characters', () => {
    for (const count of [252, 253, 254]) {
      const name = testNameOf(keyOf(reported({ name: `${'y'.repeat(count)}🙂 and more` })));
      expect([name.isWellFormed(), name.length <= 255]).toEqual([true, true]);
    }
    for (const count of [197, 198, 199]) {
      const parameters = `${'p'.repeat(100)}🙂${'p'.repeat(count)}`;
      const name = testNameOf(keyOf(reported({ name: 'adds', parameters })));
      expect([name.isWellFormed(), name.length <= 255]).toEqual([true, true]);
    }
  });

  test.each([
    [['a', 'b'], 32, ['a', 'b']],
    [['a', '', 'b'], 32, ['a', 'b']],
    [[], 32, []],
    [['a', 'b', 'c', 'd'], 3, ['a', 'b', 'c > d']],
    [['y'.repeat(300)], 32, [`${'y'.repeat(254)}…`]],
    // Half a character is stored as another one: each upload created the section again.
    [[`${'y'.repeat(253)}🙂 and more`], 32, [`${'y'.repeat(253)}…`]],
  ])('stands in the section of its suites: %j', (suites, depth, expected) => {
    expect(sectionPathOf(suites, depth)).toEqual(expected);
  });
});

describe('spaces around an id that a case names', () => {
  /** The key as it was computed before, by expressions that are quadratic in spaces and backslashes: stored keys must still match. */
  const slowName = (text: string) =>
    text
      .replace(/\s*\[T(\d{1,15})\]/g, '')
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .trim();
  const slowSuite = (text: string) => {
    const suite = slowName(text);
    return /^[^\s]*\\[^\s]*\.\w+$/.test(suite) ? suite.replaceAll('\\', '/') : suite;
  };
  const pieces = fc.constantFrom(
    ' ',
    '\t',
    '\u00a0',
    '[T1]',
    '[T23]',
    '[T]',
    '[',
    'a',
    'é',
    'b\\',
    '\\',
    '.ts',
    '.',
    '_',
  );
  const text = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''));

  test('the key is the same as before', () => {
    fc.assert(
      fc.property(text, text, (name, suite) => {
        const key = keyOf(reported({ name, suites: [suite] }));
        expect(key.name).toBe(slowName(name) || '(no name)');
        expect(key.suite).toBe(slowSuite(suite));
      }),
      { numRuns: 3_000 },
    );
  });
});
