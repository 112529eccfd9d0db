import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { idsOfPaths, type MakingPaths } from '../sections/section-path-store.ts';

interface Placed {
  readonly sectionId?: number | null;
  /** The path of the section instead of its id; null for no section. */
  readonly section?: string | null;
}

type WithId<T extends Placed> = Omit<T, 'section' | 'sectionId'> & { readonly sectionId?: number | null };

/**
 * Replaces the section paths of tests of one project by section ids. Runs no statement if there are no paths.
 * @param pathOf the path of a test in the call, e.g. `tests[3].`; empty for a single test.
 * @throws Fault INVALID_REQUEST when a test has both, and those of `idsOfPaths`.
 */
export async function withSectionIds<T extends Placed>(
  q: Query,
  projectId: number,
  items: readonly T[],
  { pathOf = () => '', ...making }: MakingPaths & { readonly pathOf?: (index: number) => string },
): Promise<ReadonlyArray<WithId<T>>> {
  const both = items.flatMap(({ section, sectionId }, index) =>
    section === undefined || sectionId === undefined ? [] : [`${pathOf(index)}section`],
  );
  if (both[0] !== undefined)
    throw fail.INVALID_REQUEST(`Given beside sectionId: ${firstProblems(both)}. Nothing was written.`, {
      cause: /^[^.[]+/.exec(both[0])?.[0] ?? 'section',
      tip: 'Give sectionId or section (a path), not both.',
    });
  const given = items.flatMap(({ section }, index) =>
    typeof section === 'string' ? [{ text: section, at: `${pathOf(index)}section` }] : [],
  );
  const ids = given.length === 0 ? null : await idsOfPaths(q, projectId, given, making);
  return items.map(({ section, sectionId: known, ...item }) => {
    const sectionId = typeof section === 'string' ? ids?.get(section) : section === null ? null : known;
    return sectionId === undefined ? item : { ...item, sectionId };
  });
}
