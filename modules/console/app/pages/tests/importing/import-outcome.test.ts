import { expect, test } from 'bun:test';
import { importedText, isWritten } from './import-outcome.ts';

/** Created, updated, restored, unchanged. */
test.each([
  [[2, 0, 0, 0], '2 tests were imported.', true],
  [[1, 0, 0, 0], '1 test was imported.', true],
  [[0, 0, 0, 2], '2 tests were imported. Of tests that were imported before: 2 left as they are.', false],
  [
    [1, 1, 1, 1],
    '4 tests were imported. Of tests that were imported before: 1 updated, 1 restored, 1 left as they are.',
    true,
  ],
  [[0, 0, 1, 0], '1 test was imported. Of tests that were imported before: 1 restored.', true],
] as const)('%p', ([createdCount, updatedCount, restoredCount, unchangedCount], said, written) => {
  const counts = { createdCount, updatedCount, restoredCount, unchangedCount };
  const testsCount = createdCount + updatedCount + restoredCount + unchangedCount;
  const added = { sections: 0, labels: 0, squads: 0, options: 0 };
  expect(importedText({ ...counts, testsCount, added })).toBe(said);
  expect(isWritten(counts)).toBe(written);
});

test('names that were added with the tests are named, also if the preview had none', () => {
  const counts = { testsCount: 6, createdCount: 6, updatedCount: 0, restoredCount: 0, unchangedCount: 0 };
  const added = { sections: 1, labels: 2, squads: 0, options: 0 };
  expect(importedText({ ...counts, added })).toBe(
    '6 tests were imported. Added with them: 1 section, 2 labels.',
  );
});
