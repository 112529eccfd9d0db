import { expect, test } from 'bun:test';
import { differenceOfSteps } from './step-difference.ts';

const steps = (actions: string) => [...actions].map((action) => ({ action }));

/** `+b2`: added at 2; `-b1`: removed from 1; `a1>b1`: changed. */
const inWords = (older: string, newer: string): string =>
  differenceOfSteps(steps(older), steps(newer))
    .map(({ change, from, to, before, after }) =>
      change === 'changed'
        ? `${before?.action}${from}>${after?.action}${to}`
        : change === 'added'
          ? `+${after?.action}${to}`
          : `-${before?.action}${from}`,
    )
    .join(' ');

test.each([
  ['nothing', '', '', ''],
  ['equal lists', 'abc', 'abc', ''],
  ['all new', '', 'ab', '+a1 +b2'],
  ['all gone', 'ab', '', '-a1 -b2'],
  ['one more at the start', 'bc', 'abc', '+a1'],
  ['one more in the middle', 'ac', 'abc', '+b2'],
  ['one more at the end', 'ab', 'abc', '+c3'],
  ['one less in the middle', 'abc', 'ac', '-b2'],
  ['another in its place', 'abc', 'axc', 'b2>x2'],
  ['two others in the place of one', 'abc', 'axyc', 'b2>x2 +y3'],
  ['one in the place of two', 'abcd', 'axd', 'b2>x2 -c3'],
  ['a step that moved down', 'abcd', 'bcad', '-a1 +a3'],
  ['a repeated step', 'aab', 'ab', '-a2'],
  ['two changes', 'abcde', 'axcye', 'b2>x2 d4>y4'],
  ['nothing in common', 'ab', 'xyz', 'a1>x1 b2>y2 +z3'],
])('%s', (_, older, newer, expected) => expect(inWords(older, newer)).toBe(expected));

test('data and expected results count, and what is not set equals an empty text', () => {
  const [step, same, other] = [{ action: 'a' }, { action: 'a', data: '' }, { action: 'a', expected: 'x' }];
  expect(differenceOfSteps([step], [same])).toEqual([]);
  expect(differenceOfSteps([step], [other])).toEqual([
    { change: 'changed', from: 1, to: 1, before: step, after: other },
  ]);
});

test('lists that are too long to compare are different but for what both begin and end with', () => {
  const long = (middle: string) => [
    { action: 'first' },
    ...Array.from({ length: 600 }, (_, n) => ({ action: `${middle}${n}` })),
    { action: 'last' },
  ];
  const found = differenceOfSteps(long('a'), long('b'));
  expect(found).toHaveLength(600);
  expect(found[0]).toEqual({
    change: 'changed',
    from: 2,
    to: 2,
    before: { action: 'a0' },
    after: { action: 'b0' },
  });
});

test('two lists of 500 steps take milliseconds', () => {
  const long = (step: number) => Array.from({ length: 500 }, (_, n) => ({ action: `${(n * step) % 7}` }));
  const began = performance.now();
  differenceOfSteps(long(3), long(5));
  expect(performance.now() - began).toBeLessThan(500);
});
