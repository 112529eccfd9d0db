import { and, asc, eq, getTableColumns, gt, isNull } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { countOf } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { inTurns } from '../../../core/base/turns.ts';
import type { Surface } from '../../../core/base/write-entry.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import { fail } from '../base/errors.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { requireActive, requireDirectWrite, visibleProject } from '../projects/project-store.ts';
import { inTreeOrder, levelsBelow, maxDepth, namesake, sectionPath } from '../rules/section-tree.ts';
import { sections, tests } from '../base/schema.ts';
import { everyRow, rowsPerRead } from '../base/statement-sizes.ts';
import { sectionsAsOf } from '../versions/as-of-store.ts';
import { keepSections, nextSectionVersion } from '../versions/version-store.ts';

export type Section = typeof sections.$inferSelect;

/**
 * The sections of a project that are not deleted, in tree order.
 * @param asOf as they were at this time, in epoch milliseconds; null: as they are.
 */
export async function sectionsOf(
  q: Query,
  projectId: number,
  asOf: number | null = null,
): Promise<readonly Section[]> {
  return inTurns(inTreeOrder(await sectionRows(q, projectId, asOf)));
}

/** Like {@link sectionsOf}, in id order and with those that no top section reaches: a damaged tree may have such. */
export function sectionRows(
  q: Query,
  projectId: number,
  asOf: number | null = null,
): Promise<readonly Section[]> {
  const from = asOf === null ? sections : sectionsAsOf(asOf);
  return everyRow((after) =>
    q
      .select(getTableColumns(sections))
      .from(from)
      .where(and(eq(sections.projectId, projectId), isNull(sections.deletedAt), gt(sections.id, after)))
      .orderBy(asc(sections.id))
      .limit(rowsPerRead),
  );
}

/**
 * The section with this id, for a change.
 * @param lock none: nothing is written.
 * @throws Fault SECTION_NOT_FOUND (also if deleted or of another organization), FORBIDDEN, PROJECT_INACTIVE.
 */
export async function sectionToChange(
  q: Query,
  actor: Actor,
  sectionId: number,
  { lock = 'change', testsFrom }: { readonly lock?: 'change' | 'none'; readonly testsFrom?: Surface } = {},
): Promise<Section> {
  const bySectionId = eq(sections.id, sectionId);
  // A section never changes its project, so its project can be read before the lock; everything else is read after it.
  const [of] = await q.select({ projectId: sections.projectId }).from(sections).where(bySectionId);
  const project =
    of && (await visibleProject(q, actor, of.projectId, 'write', lock === 'none' ? undefined : lock));
  const [section] = await q.select().from(sections).where(bySectionId);
  if (!section || !project || section.deletedAt !== null) {
    throw fail.SECTION_NOT_FOUND(`There is no section ${sectionId}.`);
  }
  requireActive(project);
  if (testsFrom !== undefined) requireDirectWrite(project, testsFrom);
  return section;
}

/** @throws Fault SECTION_EXISTS that names the existing section. */
function requireFreeName(
  all: readonly Section[],
  wanted: { name: string; parentId: number | null; except?: number },
): void {
  const taken = namesake(all, wanted);
  if (taken) {
    throw fail.SECTION_EXISTS(`Section ${taken.id} has this name already, under the same parent.`, {
      cause: 'sectionName',
      tip: `Use section ${taken.id}, or another name; get-sections lists them.`,
    });
  }
}

/**
 * @param levels of the section itself and its subsections.
 * @throws Fault NOT_IN_PROJECT for a parent that does not exist, SECTION_TOO_DEEP.
 */
function requireParent(
  all: readonly Section[],
  { projectId, parentId }: Pick<Section, 'projectId' | 'parentId'>,
  levels = 1,
): void {
  if (parentId === null) return;
  const byId = new Map(all.map((section) => [section.id, section]));
  if (!byId.has(parentId)) {
    throw fail.NOT_IN_PROJECT(`parentSectionId is not of project ${projectId}.`, {
      cause: 'parentSectionId',
      tip: 'Use get-sections to see the sections of this project.',
    });
  }
  if (sectionPath(byId, parentId).length + levels > maxDepth) {
    throw fail.SECTION_TOO_DEEP(`Sections nest at most ${maxDepth} deep.`, { cause: 'parentSectionId' });
  }
}

/** @throws Fault NOT_IN_PROJECT for a parent that does not exist, SECTION_TOO_DEEP, SECTION_EXISTS, PROJECT_FULL. */
export async function insertSection(
  q: Query,
  row: Pick<Section, 'projectId' | 'parentId' | 'name' | 'createdAt' | 'updatedBy' | 'updatedAt'>,
) {
  const all = await sectionsOf(q, row.projectId);
  requireParent(all, row);
  requireFreeName(all, row);
  requireRoom('sections', all.length + 1);
  const [section] = await q
    .insert(sections)
    .values({ ...row, createdWrite: writeIdOf(q) })
    .returning();
  if (!section) throw new Error('the section was not stored');
  return { section, all: [...all, section] };
}

/** @throws Fault SECTION_EXISTS. */
export async function renameSection(
  q: Query,
  section: Section,
  { name, ...author }: Pick<Section, 'name' | 'updatedBy'> & { readonly updatedAt: number },
) {
  const all = await sectionsOf(q, section.projectId);
  requireFreeName(all, { name, parentId: section.parentId, except: section.id });
  const renamed = { ...section, name, ...author };
  await keepSections(q, [section.id], author.updatedAt);
  await q
    .update(sections)
    .set({ name, ...author, version: nextSectionVersion })
    .where(eq(sections.id, section.id));
  return { section: renamed, all: all.map((one) => (one.id === section.id ? renamed : one)) };
}

/**
 * Moves a section, with its subsections, to another parent.
 * @throws Fault NOT_IN_PROJECT for a parent that does not exist, SECTION_CYCLE, SECTION_TOO_DEEP, SECTION_EXISTS.
 */
export async function moveSection(
  q: Query,
  section: Section,
  change: Pick<Section, 'parentId' | 'updatedBy'> & { readonly updatedAt: number },
) {
  const all = await sectionsOf(q, section.projectId);
  const levels = levelsBelow(all, section.id);
  const { parentId } = change;
  if (parentId !== null && levels.has(parentId)) {
    throw fail.SECTION_CYCLE(`Section ${parentId} is section ${section.id} itself, or below it.`, {
      cause: 'parentSectionId',
    });
  }
  requireParent(all, { projectId: section.projectId, parentId }, Math.max(...levels.values()));
  requireFreeName(all, { name: section.name, parentId, except: section.id });
  const moved = { ...section, ...change };
  await keepSections(q, [section.id], change.updatedAt);
  await q
    .update(sections)
    .set({ ...change, version: nextSectionVersion })
    .where(eq(sections.id, section.id));
  return { section: moved, all: all.map((one) => (one.id === section.id ? moved : one)) };
}

/** Deletes an empty section. @throws Fault SECTION_NOT_EMPTY with the number of its subsections and tests. */
export async function removeSection(
  q: Query,
  { id, projectId }: Section,
  { by, now }: { readonly by: number; readonly now: number },
): Promise<void> {
  const children = and(
    eq(sections.projectId, projectId),
    eq(sections.parentId, id),
    isNull(sections.deletedAt),
  );
  const contained = and(eq(tests.projectId, projectId), eq(tests.sectionId, id), isNull(tests.deletedAt));
  const counts = [
    ['subsection', await countOf(q, sections, children)],
    ['test', await countOf(q, tests, contained)],
  ] as const;
  if (counts.some(([, count]) => count > 0)) {
    const phrases = counts.map(([what, count]) => `${count} ${what}${count === 1 ? '' : 's'}`);
    throw fail.SECTION_NOT_EMPTY(`Section ${id} has ${phrases.join(' and ')}.`);
  }
  await keepSections(q, [id], now);
  await q
    .update(sections)
    .set({ deletedAt: now, updatedBy: by, updatedAt: now, version: nextSectionVersion })
    .where(eq(sections.id, id));
}
