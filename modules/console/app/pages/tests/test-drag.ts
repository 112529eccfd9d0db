/* Tests that are dragged onto a section. */

export const draggedTestsType = 'application/x-trivet-tests';

/** What a row carries: the ticked tests, if it is one of them, else itself. */
export const draggedTests = (testId: number, selected: readonly number[]) => ({
  type: draggedTestsType,
  text: JSON.stringify(selected.includes(testId) ? selected : [testId]),
});

/** The ids of a dragged text; none for what another program has put there. */
export function droppedTests(text: string): readonly number[] {
  try {
    const ids: unknown = JSON.parse(text);
    return Array.isArray(ids) ? ids.filter((id): id is number => Number.isSafeInteger(id)).slice(0, 500) : [];
  } catch {
    return [];
  }
}
