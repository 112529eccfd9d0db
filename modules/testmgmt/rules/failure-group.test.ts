import { describe, expect, test } from 'bun:test';
import { failureGroup, failurePattern, isFailureGroup } from './failure-group.ts';

test.each([
  ['', ''],
  [' \n ', ''],
  ['expected 2 to be 3', 'expected <n> to be <n>'],
  ['expected -1.5 to be 1,000.25', 'expected <n> to be <n>'],
  ['Timeout 30000ms exceeded after 1.5 s', 'Timeout <time> exceeded after <time>'],
  ['waited 2 minutes', 'waited <time>'],
  ['user 3f2504e0-4f89-41d3-9a0c-0305e82c3301 is gone', 'user <id> is gone'],
  ['commit 1a2b3c4d5e6f at 0xDEADBEEF', 'commit <id> at <id>'],
  ['the facade is decadent', 'the facade is decadent'],
  ['expected "a b" to equal \'c\' or `d`', 'expected <text> to equal <text> or <text>'],
  ["can't open the door, isn't it", "can't open the door, isn't it"],
  ['an "open quote', 'an "open quote'],
  ['no such file: src/cart.test.ts:12:5', 'no such file: src/cart.test.ts'],
  ['src/cart.py, line 12', 'src/cart.py'],
  ['\u001b[31mError\u001b[0m: no', 'Error: no'],
  ['Error: no\n    at pay (src/pay.ts:3:1)\n    at run (node:12:1)', 'Error: no'],
  ['NullPointer\n\tat a.B.c(B.java:12)\n\t... 23 more', 'NullPointer'],
  ['at the door\nnobody', 'nobody'],
  ['at 12:30:05 it was 7', 'at <n> it was <n>'],
  ['a\n\n  b\tc', 'a b c'],
])('%j has the pattern %j', (message, pattern) => {
  expect(failurePattern(message)).toBe(pattern);
});

describe('messages of one cause', () => {
  test.each([
    ['expected 2 to be 3', 'expected 20 to be 31'],
    ['GET http://127.0.0.1:4711/a: 503', 'GET http://127.0.0.1:80/a: 500'],
    ['Error: x\n    at a (b.ts:1:2)', 'Error: x\n    at c (d.ts:3:4)\n    at e (f.ts:5:6)'],
  ])('%j and %j', (one, other) => {
    expect(failureGroup(one)).toBe(failureGroup(other));
    expect(isFailureGroup(failureGroup(one))).toBe(true);
  });

  test('others have another group', () => {
    expect(failureGroup('no such user')).not.toBe(failureGroup('no such file'));
    expect(failureGroup('')).toBe('');
  });
});

test.each([
  '"',
  "'",
  '`',
  '0',
  'a',
  'f0',
  '-',
  '1.',
  ' at ',
  'x: ',
  '\n',
  '0x',
  ' line 1',
  '.ts:1',
  '\u001b[',
])('a message of %j is read at once', (part) => {
  const message = part.repeat(10_000 / part.length);
  const startedAt = performance.now();
  for (let n = 0; n < 20; n++) failurePattern(message);
  expect(performance.now() - startedAt).toBeLessThan(400);
  expect(failurePattern(message).length).toBeLessThanOrEqual(500);
});
