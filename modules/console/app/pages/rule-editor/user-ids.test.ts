import { expect, test } from 'bun:test';
import { partsOf, readIds } from './user-ids.ts';

test.each<[string, string, string[], number[], number]>([
  ['one in a line', '1\n2\n3', ['1', '2', '3'], [], 0],
  ['lines of Windows, with empty ones', '1\r\n\r\n-2\r\n', ['1', '-2'], [], 0],
  ['the same again', '1\n1\n2\n1', ['1', '2'], [], 2],
  ['a CSV with its column', 'name,userId\nAda,7\n"Bob","8"', ['7', '8'], [], 0],
  ['a head in words', 'Age,User ID\n30,7\n40,8', ['7', '8'], [], 0],
  ['a CSV without a head', '7;Ada\n8;Bob', ['7', '8'], [], 0],
  ['a byte order mark', '\uFEFFuser_id\n7', ['7'], [], 0],
  ['what is no id', '1\nada@example.org\n<b>2</b>\n3', ['1', '3'], [2, 3], 0],
  ['a name with a comma in quotes', 'name,userId\n"Doe, Jane",7\n"a,12,b",8', ['7', '8'], [], 0],
  ['a quote and a line in quotes', 'userId,note\r\n7,"a ""b""\r\n99,c"\r\nx,y\r\n8,d', ['7', '8'], [4], 0],
  ['another separator inside a cell', '"userId";city\n7;Paris, France\n8;"Rome, Italy"', ['7', '8'], [], 0],
  ['a quote that does not end', '"userId","name"\n7,"Bob\n8,"Al"', ['7', '8'], [], 0],
  ['a list in one line', '7, 8,9, 8', ['7', '8', '9'], [], 1],
  ['a list with other separators', ' 7; 8\t9 10 \n', ['7', '8', '9', '10'], [], 0],
  ['one line that is no list', '7, Ada', ['7'], [], 0],
  ['nothing', '', [], [], 0],
])('%s', (_, text, ids, wrong, repeated) => {
  const read = readIds(text);
  expect(read).toMatchObject({ ids, wrong: wrong.map((line) => ({ line })), repeated });
});

test.each([
  ['7,8\n9', 1],
  ['7,8\n9,10\n11,Ada', 2],
  ['userId,age\n7,30', 0],
  ['7;Ada\n8;Bob', 0],
  ['7, 8', 0],
])('%j: of %d lines only the first id is read, which is said', (text, cut) => {
  expect(readIds(text).cut).toBe(cut);
});

test('of many wrong lines the first ones are shown, and all are counted', () => {
  const read = readIds('x\n'.repeat(100));
  expect([read.wrong.length, read.wrongCount]).toEqual([20, 100]);
});

test('parts hold every id once, in order', () => {
  const ids = Array.from({ length: 45_000 }, (_, id) => String(id));
  const parts = partsOf(ids);
  expect([parts.length, parts.flat()]).toEqual([3, ids]);
  expect(partsOf([])).toEqual([]);
});
