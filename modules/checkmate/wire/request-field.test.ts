import { expect, test } from 'bun:test';
import {
  flag,
  idReader,
  idOrNone,
  item,
  list,
  optionalReader,
  clearableReader,
  readFields,
  textReader,
} from './request-field.ts';

const fields = {
  id: idReader,
  squad: optionalReader(idOrNone),
  ids: optionalReader(list(idReader, 3)),
  on: optionalReader(flag),
  text: clearableReader(textReader),
  items: optionalReader(list(item({ id: idReader }))),
};
const unset = { squad: undefined, ids: undefined, on: undefined, text: undefined, items: undefined };

test.each([
  [{ id: 7 }, { id: 7, ...unset }],
  [
    { id: '7', ids: '[1,2]', on: 'true', squad: '0' },
    { ...unset, id: 7, ids: [1, 2], on: true, squad: null },
  ],
  [
    { id: 7, ids: null, text: null },
    { ...unset, id: 7, text: null },
  ],
  [
    { id: 7, text: '' },
    { ...unset, id: 7, text: null },
  ],
  [
    { id: 7, items: [{ id: 1, x: 2 }] },
    { ...unset, id: 7, items: [{ id: 1, others: ['x'] }] },
  ],
])('%p', (given, input) => expect(readFields(fields, given)).toEqual({ input, others: [] }));

test.each([
  [{}, ['id is required']],
  [{ id: 0 }, ['id must be a whole number above 0']],
  [
    { id: 1.5, ids: [1, 'x'] },
    ['id must be a whole number above 0', 'ids [1] must be a whole number above 0'],
  ],
  [{ id: 1, ids: [1, 2, 3, 4] }, ['ids must have at most 3 items']],
  [{ id: 1, ids: '[1' }, ['ids must be a list']],
  [{ id: 1, items: [{}] }, ['items [0] .id is required']],
  [[], ['the body must be an object']],
  ['x', ['the body must be an object']],
])('%p is refused', (given, mistakes) => expect(readFields(fields, given)).toEqual({ mistakes }));

test('other members are named', () => {
  expect(readFields(fields, { id: 1, colour: 'red', constructor: 1 })).toMatchObject({
    others: ['colour', 'constructor'],
  });
});
