import { expect, test } from 'bun:test';
import { lastToUndo } from './undo-choice.ts';

/** `7 undo 6`: write 7 took back write 6. Newest first. */
const writes = (text: string) =>
  text.split(', ').map((one) => {
    const [id, what, target] = one.split(' ');
    return {
      activityId: Number(id),
      operation: what === 'undo' ? 'undo-activity' : (what ?? ''),
      changes: target === undefined ? [] : [{ field: 'activity', to: Number(target) }],
    };
  });

test.each([
  ['the newest', '3 edit, 2 edit', 3],
  ['others are not its matter', '3 run, 2 edit', 2],
  ['one that was taken back', '4 undo 3, 3 edit, 2 edit', 2],
  ['two that were taken back', '5 undo 2, 4 undo 3, 3 edit, 2 edit, 1 edit', 1],
  ['one that was done again', '5 undo 4, 4 undo 3, 3 edit, 2 edit', 3],
  ['one that was done again and taken back', '6 undo 5, 5 undo 4, 4 undo 3, 3 edit, 2 edit', 2],
  ['a new one after it', '5 edit, 4 undo 3, 3 edit', 5],
  ['none', '4 undo 3, 3 edit', undefined],
])('%s', (_, text, expected) =>
  expect(lastToUndo(writes(text), new Set(['edit']))?.activityId).toBe(expected),
);
