import { expect, test } from 'bun:test';
import { inputOf, isSame, parsed } from './cta-document.ts';

test('what is null or left out is cleared, the rest is sent as it is', () =>
  expect(inputOf({ name: 'A', team: null, startTime: 5, endTime: null, more: { x: 1 } }, '7', 3)).toEqual({
    ctaId: '7',
    version: 3,
    name: 'A',
    startTime: 5,
    more: { x: 1 },
    clear: ['team', 'endTime', 'behaviourTagName', 'experiment'],
  } as never));

test.each([
  ['{"a": 1}', { doc: { a: 1 } }],
  ['[1]', { error: expect.stringContaining('object') }],
  ['null', { error: expect.stringContaining('object') }],
  ['{"a": ', { error: expect.stringContaining('no JSON') }],
])('%s', (text, result) => expect(parsed(text)).toEqual(result as never));

test.each([
  [{ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: { b: 1 } }, { a: [['b', 1]] }, false],
  [{ a: {} }, { a: [] }, false],
])('the order of members says nothing', (one, other, same) => expect(isSame(one, other)).toBe(same));
