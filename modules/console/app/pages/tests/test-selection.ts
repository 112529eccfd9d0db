import { call, Refusal } from '../../api/call.ts';
import { countText } from '../../design/amount.ts';
import { t } from '../../texts/text.ts';

/** At most this many tests can be chosen one by one: they stand in the address. */
const mostSelected = 500;

/** The ids in the address. */
export const selectionOf = (text: string | null): readonly number[] =>
  (text ?? '')
    .split(',')
    .filter((id) => /^[1-9]\d{0,15}$/.test(id))
    .map(Number)
    .slice(0, mostSelected);

/** The ids as the address has them; null for none. */
export const selectionText = (ids: readonly number[]): string | null =>
  ids.length === 0 ? null : ids.join(',');

export const toggled = (ids: readonly number[], id: number): readonly number[] =>
  ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(0, mostSelected);

/** With all of a range; those that are chosen stay. */
export const toggledRange = (ids: readonly number[], range: readonly number[]): readonly number[] =>
  [...new Set([...ids, ...range])].slice(0, mostSelected);

/** A query takes 200 values. */
const mostAsked = 200;

/** Those of the tests that nobody has deleted. */
async function testsLeft(projectId: number, ids: readonly number[]): Promise<readonly number[]> {
  const left = new Set<number>();
  for (let from = 0; from < ids.length; from += mostAsked) {
    const asked = ids.slice(from, from + mostAsked);
    const { tests } = await call('get-tests', {
      projectId,
      query: `id:${asked.join(',')}`,
      limit: mostAsked,
    });
    for (const { testId } of tests) if (testId !== undefined) left.add(testId);
  }
  return ids.filter((id) => left.has(id));
}

/** Whether a write to many tests was refused because of some of them. */
const isOfSomeTests = (error: unknown): boolean =>
  error instanceof Refusal &&
  (error.code === 'TEST_NOT_FOUND' || (error.code === 'NOT_IN_PROJECT' && error.causeWord === 'testIds'));

interface Selected {
  readonly projectId: number;
  readonly ids: readonly number[];
  readonly onSelect: (ids: readonly number[]) => void;
}

/**
 * Writes to the selected tests. Of those that somebody else has deleted nothing can be written: they leave the selection, so that nobody
 * has to find them among hundreds.
 * @throws Error that says so, for a person who then repeats the write.
 */
export async function writeToSelected<T>(
  { projectId, ids, onSelect }: Selected,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isOfSomeTests(error)) throw error;
    const left = await testsLeft(projectId, ids);
    const gone = ids.length - left.length;
    if (gone === 0) throw error;
    if (left.length === 0)
      throw new Error(t('All of these tests are deleted by now. Nothing was written.'), { cause: error });
    onSelect(left);
    throw new Error(
      t('{testsAre} deleted by now and no longer selected. Nothing was written. Repeat it for the others.', {
        testsAre: countText(gone, 'test is', 'tests are'),
      }),
      { cause: error },
    );
  }
}
