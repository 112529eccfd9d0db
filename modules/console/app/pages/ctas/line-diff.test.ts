import { expect, test } from 'bun:test';
import { lineDiff } from './line-diff.ts';

const signs = { same: ' ', removed: '-', added: '+' } as const;
const shown = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${signs[kind]}${text}`);

test.each([
  ['the same', 'a\nb', 'a\nb', [' a', ' b']],
  ['one line changed', 'a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a line added at the end', 'a', 'a\nb', [' a', '+b']],
  ['a line removed at the start', 'a\nb', 'b', ['-a', ' b']],
  ['lines kept between two changes', 'a\nk\nb', 'x\nk\ny', ['-a', '+x', ' k', '-b', '+y']],
  ['the same line more often', 'a\na', 'a\na\na', [' a', ' a', '+a']],
  ['nothing and something', '', 'a', ['-', '+a']],
])('%s', (_, before, after, lines) => expect(shown(before, after)).toEqual(lines));

test('either text can be read from the lines, also from those of a text that is too long to compare', () => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, line) => `${word} ${line}`).join('\n');
  const [before, after] = [long('before'), long('after')];
  const lines = lineDiff(before, after);
  const without = (kind: 'removed' | 'added') =>
    lines
      .filter((line) => line.kind !== kind)
      .map(({ text }) => text)
      .join('\n');
  expect([without('added') === before, without('removed') === after]).toEqual([true, true]);
});
