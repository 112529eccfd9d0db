import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * docs/questions.md: questions of a newcomer, each with the file that answers it. The words of the question occur in that file (or in its
 * path), so that a search finds it; the named function is the one to read.
 *
 * Mutation note: seen to fail with a file that was renamed, a function that was renamed, and words that only another file has.
 */
const root = join(import.meta.dir, '..');
const page = readFileSync(join(root, 'docs', 'questions.md'), 'utf8');

const table = [...page.matchAll(/^\| (.+?) +\| \[(.+?)\]\(\.\.\/(.+?)\) +\| `(\w+)` +\| (.+?) +\|$/gm)].map(
  ([, question = '', name = '', file = '', definition = '', words = '']) =>
    [question, { name, file, definition, words: words.split(', ') }] as const,
);

test('every row of the page is read', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:Question|-+) /.test(line));
  expect(table.length).toBe(rows.length);
  expect(table.length).toBeGreaterThanOrEqual(55);
});

test.each(table)('%s', (_question, { name, file, definition, words }) => {
  expect([file, existsSync(join(root, file))]).toEqual([name, true]);
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toMatch(
    new RegExp(`^export (?:async )?(?:const|function\\*?|class|interface|type) ${definition}\\b`, 'm'),
  );
  const searched = `${file}\n${text}`.toLowerCase();
  expect(words.filter((word) => !searched.includes(word.toLowerCase()))).toEqual([]);
});
