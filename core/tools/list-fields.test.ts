import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { closedObject, nullable } from '../base/schema.ts';
import { listFields, withChosenFields } from './list-fields.ts';

const note = closedObject({
  noteId: Type.Integer(),
  text: nullable(Type.String()),
  folder: nullable(Type.String()),
});
const { parameter } = listFields(note, ['folder']);
const list = closedObject(parameter);
const result = {
  total: 2,
  nextOffset: 2,
  notes: [
    { noteId: 1, text: null, folder: null },
    { noteId: 2, text: 'b', folder: 'c' },
  ],
};

const cases: ReadonlyArray<readonly [string, object, readonly object[]]> = [
  [
    'nothing: without what is not set and often is not',
    {},
    [
      { noteId: 1, text: null },
      { noteId: 2, text: 'b', folder: 'c' },
    ],
  ],
  ['one field', { fields: ['noteId'] }, [{ noteId: 1 }, { noteId: 2 }]],
  ['a field that is not set', { fields: ['folder'] }, [{ folder: null }, { folder: 'c' }]],
  ['all', { fields: ['*'] }, result.notes],
  ['all and one', { fields: ['noteId', '*'] }, result.notes],
];
test.each(cases)('%s', (_title, given, notes) => {
  expect(withChosenFields(list, given, result)).toEqual({ ...result, notes });
});

test('a list without the parameter, and one that leaves nothing out, stay as they are', () => {
  expect(withChosenFields(closedObject({}), { fields: ['noteId'] }, result)).toBe(result);
  const own = closedObject({ fields: Type.Optional(Type.Array(Type.String())) });
  expect(withChosenFields(own, { fields: ['noteId'] }, result)).toBe(result);
  expect(withChosenFields(closedObject(listFields(note).parameter), {}, result)).toBe(result);
});
