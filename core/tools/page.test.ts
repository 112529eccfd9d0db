import { describe, expect, test } from 'bun:test';
import { Type, type TSchema } from '@sinclair/typebox';
import { page, withNextOffset } from './page.ts';

describe('an answer of a list that was cut says where it goes on', () => {
  const list = page('names', Type.String());
  const counted = Type.Object({ ...list.properties, counts: Type.Object({}) });
  const beside = Type.Object({ ...list.properties, others: Type.Array(Type.String()) });
  const names = ['a', 'b'];

  test.each<[string, TSchema, object, number | undefined]>([
    ['the first of more', list, { total: 5, limit: 2, offset: 0, names }, 2],
    ['in the middle', list, { total: 5, limit: 2, offset: 2, names }, 4],
    ['the last', list, { total: 4, limit: 2, offset: 2, names }, undefined],
    ['a short last', list, { total: 5, limit: 2, offset: 4, names: ['e'] }, undefined],
    ['all', list, { total: 2, limit: 50, offset: 0, names }, undefined],
    ['none', list, { total: 0, limit: 50, offset: 0, names: [] }, undefined],
    ['beyond the end', list, { total: 2, limit: 50, offset: 7, names: [] }, undefined],
    ['with more than the list', counted, { total: 5, limit: 2, offset: 0, names, counts: {} }, 2],
    ['after another list', beside, { total: 5, limit: 2, offset: 0, others: ['x'], names }, 2],
    [
      'the last after another list',
      beside,
      { total: 2, limit: 2, offset: 0, others: ['x'], names },
      undefined,
    ],
  ])('%s', (_title, schema, answer, next) => {
    const given = withNextOffset(schema, answer);
    expect(given).toEqual(next === undefined ? answer : { ...answer, nextOffset: next });
  });

  test('what is no list is not touched', () => {
    const answer = { total: 5, limit: 2, offset: 0, names };
    expect(withNextOffset(Type.Object({}), answer)).toBe(answer);
    expect(withNextOffset(Type.String(), 'text')).toBe('text');
  });
});
