import { expect, test } from 'bun:test';
import { namesIn } from './name-lines.ts';

test.each([
  ['', []],
  ['  \n\t\r\n', []],
  ['smoke\r\n slow tests \nsmoke', ['smoke', 'slow tests']],
  ['a, b', ['a, b']],
])('the names in %p are %p', (text, names) => expect(namesIn(text)).toEqual([...names]));
