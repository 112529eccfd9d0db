import { expect, test } from 'bun:test';
import { compareIds, previousIfSame, stringMap, entryAt } from './string-map.ts';

test('keys named like parts of a prototype are keys like any other', () => {
  const parsed = JSON.parse('{"__proto__":1,"constructor":2}') as Record<string, number>;
  const copy = stringMap(parsed);
  copy['toString'] = 3;
  expect(JSON.stringify(copy)).toBe('{"__proto__":1,"constructor":2,"toString":3}');
  expect(entryAt(parsed, '__proto__')).toBe(1);
  expect(entryAt({} as Record<string, number>, 'constructor')).toBeUndefined();
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});

test('unlessSame answers the previous map when every value is the same one', () => {
  const machine = {};
  const previous = stringMap({ a: machine });
  expect(previousIfSame(previous, stringMap({ a: machine }))).toBe(previous);
  const replaced = stringMap({ a: { other: true } });
  expect(previousIfSame<object>(previous, replaced)).toBe(replaced);
  const renamed = stringMap({ b: machine });
  expect(previousIfSame(previous, renamed)).toBe(renamed);
});

test.each([
  ['numbers by value', ['10', '9', '1'], ['1', '9', '10']],
  ['numbers above 2^53', ['9007199254740993', '9007199254740992'], ['9007199254740992', '9007199254740993']],
  ['other ids by code unit, after numbers', ['b', 'a', '2', '02'], ['2', '02', 'a', 'b']],
])('compareIds orders %s', (_, ids, ordered) => {
  expect([...ids].sort(compareIds)).toEqual(ordered);
});
