import { expect, test } from 'bun:test';
import { mergedRows, type LinkRow } from './link-rows.ts';

/** @example rows('A=1 B=2') // the prefixes A and B with the addresses 1 and 2 */
const rows = (text: string): readonly LinkRow[] =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [prefix = '', url = ''] = part.split('=');
      return { prefix, url, newIssueUrl: '' };
    });

test.each([
  ['nobody else', 'A=1 B=2', 'A=3 B=2', 'A=1 B=2', 'A=3 B=2'],
  ['one that somebody else added stays', 'A=1', 'A=3', 'A=1 B=2', 'A=3 B=2'],
  ['one that they changed stays changed', 'A=1 B=2', 'A=1 B=2 C=3', 'A=4 B=2', 'A=4 B=2 C=3'],
  ['one that they removed stays away', 'A=1 B=2', 'A=3 B=2', 'A=1', 'A=3'],
  ['the same one is of the later person', 'A=1', 'A=3', 'A=4', 'A=3'],
  ['one that this person removed is gone', 'A=1 B=2', 'B=2', 'A=4 B=2', 'B=2'],
  ['another prefix is another one', 'A=1', 'B=1', 'A=1', 'B=1'],
  ['both add the same prefix', '', 'A=1', 'A=2', 'A=1'],
])('%s', (_, read, typed, now, merged) => {
  expect(mergedRows(rows(read), rows(typed), rows(now))).toEqual([...rows(merged)]);
});
