import { expect, test } from 'bun:test';
import { attachmentsNote } from './results-attachments.ts';

const left = (why: string) => [{ path: 'a.png', why }];
const cases: ReadonlyArray<readonly [Parameters<typeof attachmentsNote>[0], string | undefined]> = [
  [{ uploaded: 0, skipped: [], skippedTotal: 0 }, undefined],
  [{ uploaded: 1, skipped: [], skippedTotal: 0 }, '1 attachment uploaded.'],
  [
    { uploaded: 2, skipped: left('more than 100 files'), skippedTotal: 3 },
    '2 attachments uploaded; 3 left out, e.g. a.png: more than 100 files.',
  ],
  // The message of an error is a sentence of its own.
  [
    { uploaded: 0, skipped: left('The file is too large.'), skippedTotal: 1 },
    '0 attachments uploaded; 1 left out, e.g. a.png: The file is too large.',
  ],
];
test.each(cases)('the note about %j is %p', (uploaded, note) => {
  expect(attachmentsNote(uploaded)).toBe(note as never);
});
