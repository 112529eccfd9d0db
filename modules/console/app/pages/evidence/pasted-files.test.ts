import { expect, test } from 'bun:test';
import { isPastedText } from './pasted-files.ts';

/** @see Cells of a spreadsheet that were pasted into a comment were attached as a picture, and their text was lost. */
test.each([
  ['a screenshot', ['Files'], false],
  ['a picture of a page', ['text/html', 'Files'], false],
  ['a file of a file manager', ['text/plain', 'Files'], false],
  ['cells of a spreadsheet', ['text/plain', 'text/html', 'text/rtf', 'Files'], true],
  ['a paragraph of a word processor', ['text/plain', 'text/rtf', 'Files'], true],
  ['text', ['text/plain'], false],
])('%s', (_, types, isText) => expect(isPastedText(types)).toBe(isText));
