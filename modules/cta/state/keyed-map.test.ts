import { expect, test } from 'bun:test';
import { compareIds, keyed, unlessSame, valueAt } from './keyed-map.ts';

test('keys named like parts of a prototype are keys like any other', () => {
  const parsed = JSON.parse('{"__proto__":1,"constructor":2}') as Record<string, number>;
  const copy = keyed(parsed);
  copy['toString'] = 3;
  expect(JSON.stringify(copy)).toBe('{"__proto__":1,"constructor":2,"toString":3}');
  expect(valueAt(parsed, '__proto__')).toBe(1);
  expect(valueAt({} as Record<string, number>, 'constructor')).toBeUndefined();
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});

test('unlessSame answers the previous map when every value is the same one', () => {
  const machine = {};
  const previous = keyed({ a: machine });
  expect(unlessSame(previous, keyed({ a: machine }))).toBe(previous);
  const replaced = keyed({ a: { other: true } });
  expect(unlessSame<object>(previous, replaced)).toBe(replaced);
  const renamed = keyed({ b: machine });
  expect(unlessSame(previous, renamed)).toBe(renamed);
});

test.each([
  ['numbers by value', ['10', '9', '1'], ['1', '9', '10']],
  ['numbers above 2^53', ['9007199254740993', '9007199254740992'], ['9007199254740992', '9007199254740993']],
  ['other ids by code unit, after numbers', ['b', 'a', '2', '02'], ['2', '02', 'a', 'b']],
])('compareIds orders %s', (_, ids, ordered) => {
  expect([...ids].sort(compareIds)).toEqual(ordered);
});
