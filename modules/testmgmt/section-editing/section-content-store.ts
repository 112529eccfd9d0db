import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import { prepared, together, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { mostByQuery } from '../cases/case-choice-store.ts';
import { deleteTests } from '../cases/case-write-store.ts';
import { fail } from '../base/errors.ts';
import { levelsBelow } from '../rules/section-tree.ts';
import { sections, tests } from '../base/schema.ts';
import { sectionsOf, type Section } from '../sections/section-store.ts';
import { everyRow, rowsPerChange, rowsPerRead } from '../base/statement-sizes.ts';
import { keepSections, nextSectionVersion } from '../versions/version-store.ts';

/** A section with its contents: itself and its subsections, and their tests that are not deleted. */
interface SectionContents {
  readonly sectionIds: readonly number[];
  readonly testIds: readonly number[];
}

const testsInSection = prepared<{ projectId: number; sectionId: number; after: number }, { id: number }>(
  (q) =>
    q
      .select({ id: tests.id })
      .from(tests)
      .where(
        and(
          eq(tests.projectId, sql.placeholder('projectId')),
          eq(tests.sectionId, sql.placeholder('sectionId')),
          gt(tests.id, sql.placeholder('after')),
          isNull(tests.deletedAt),
        ),
      )
      .orderBy(asc(tests.id))
      .limit(rowsPerRead),
  'testmgmt_tests_in_section_after',
);

/** Sections examined at once: on PostgreSQL they cost one round trip, on SQLite about 3 ms. */
const sectionsAtOnce = 50;

/**
 * The contents that are deleted with a section. Yields to other requests.
 * @throws Fault TOO_MANY_TESTS.
 */
export async function contentsOf(
  q: Query,
  { id, projectId }: Section,
  signal: AbortSignal,
): Promise<SectionContents> {
  const sectionIds = [...levelsBelow(await sectionsOf(q, projectId), id).keys()];
  const testIds: number[] = [];
  for await (const part of partsInTurns(sectionIds, sectionsAtOnce, signal)) {
    const found = await together(
      part.map((sectionId) =>
        everyRow((after) => testsInSection(q, { projectId, sectionId, after }), signal),
      ),
    );
    for (const rows of found) for (const row of rows) testIds.push(row.id);
    if (testIds.length > mostByQuery)
      throw fail.TOO_MANY_TESTS(
        `Section ${id} has more than ${mostByQuery} tests, with those below it. Nothing was written.`,
        {
          cause: 'withContents',
          tip: 'Delete its subsections one by one first, with delete-section and withContents.',
        },
      );
  }
  return { sectionIds, testIds };
}

/** Deletes a section with its contents; the tests keep their history. Yields to other requests between its chunks. */
export async function deleteWithContents(
  q: Query,
  projectId: number,
  { sectionIds, testIds }: SectionContents,
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  if (testIds.length > 0) await deleteTests(q, projectId, testIds, { by, now, signal });
  for await (const ids of partsInTurns(sectionIds, rowsPerChange, signal)) {
    await keepSections(q, ids, now);
    await q
      .update(sections)
      .set({ deletedAt: now, updatedBy: by, updatedAt: now, version: nextSectionVersion })
      .where(inArray(sections.id, [...ids]));
  }
}
