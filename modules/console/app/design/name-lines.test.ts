import { expect, test } from 'bun:test';
import { mergedNames, namesIn } from './name-lines.ts';

test.each([
  ['', []],
  ['  \n\t\r\n', []],
  ['smoke\r\n slow tests \nsmoke', ['smoke', 'slow tests']],
  ['a, b', ['a, b']],
])('the names in %p are %p', (text, names) => expect(namesIn(text)).toEqual([...names]));

test.each([
  // Nobody else changed anything.
  ['a b', 'b a c', 'a b', 'b a c'],
  ['a b', 'b', 'a b', 'b'],
  ['', 'a', '', 'a'],
  // Somebody else did.
  ['a b', 'b a', 'a b c', 'b a c'],
  ['a b', 'a b c', 'a', 'a c'],
  ['a b', 'a', 'b c', 'c'],
  ['a', 'a b', 'a b', 'a b'],
])('%p that became %p here and %p elsewhere are %p', (read, typed, now, merged) => {
  const names = (text: string) => text.split(' ').filter((name) => name !== '');
  expect(mergedNames(names(read), names(typed), names(now))).toEqual(names(merged));
});
