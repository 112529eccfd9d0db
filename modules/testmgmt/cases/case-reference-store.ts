import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { classificationValues, labels, sections, squads } from '../schema.ts';
import { everyRow, idsPerQuery, rowsPerRead } from '../statement-sizes.ts';
import {
  idsIn,
  requireReferences,
  type References,
  type ReferredIds,
  type ReferringIds,
  type SectionNode,
} from './case-references.ts';

/**
 * Checks the ids of a filter. An id that is unknown or of another project is a mistake, which `total: 0` would hide.
 * @throws Fault NOT_IN_PROJECT.
 */
export async function requireFilter(q: Query, projectId: number, filter: ReferringIds): Promise<void> {
  if (Object.values(filter).every((id) => id === undefined)) return;
  requireReferences(projectId, [filter], await loadReferences(q, projectId, idsIn([filter])), {
    outcome: '',
  });
}

/**
 * Loads what tests of a project refer to, and no more: a project may have thousands of sections and labels. Includes the parents of
 * sections, and no id of another project.
 */
export async function loadReferences(q: Query, projectId: number, ids: ReferredIds): Promise<References> {
  const ofProject = <T extends typeof classificationValues | typeof squads | typeof labels>(
    table: T,
    part: number[],
  ) => and(inArray(table.id, part), eq(table.projectId, projectId));
  // In parallel: on PostgreSQL each query is a round trip.
  const [valueRows, squadRows, labelRows, sectionRows] = await Promise.all([
    inChunks(ids.classifications, (part) =>
      q.select().from(classificationValues).where(ofProject(classificationValues, part)),
    ),
    inChunks(ids.squads, (part) => q.select().from(squads).where(ofProject(squads, part))),
    inChunks(ids.labels, (part) => q.select().from(labels).where(ofProject(labels, part))),
    loadSections(q, projectId, ids.sections),
  ]);
  return {
    classifications: new Map(valueRows.map((row) => [row.id, row])),
    squads: new Map(squadRows.map(({ id, name }) => [id, name])),
    labels: new Map(labelRows.map(({ id, name }) => [id, name])),
    sections: sectionRows,
  };
}

/** All rows that a query returns for chunks of ids. No query for no id. */
async function inChunks<T>(
  ids: ReadonlySet<number>,
  query: (part: number[]) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for await (const part of partsInTurns([...ids], idsPerQuery)) {
    for (const row of await query([...part])) rows.push(row);
  }
  return rows;
}

/** Sections and their parents: one query for each level of the tree, upwards. */
async function loadSections(q: Query, projectId: number, ids: ReadonlySet<number>) {
  const found = new Map<number, SectionNode>();
  for (let level = ids; level.size > 0;) {
    const rows = await inChunks(level, (part) =>
      q
        .select()
        .from(sections)
        .where(and(inArray(sections.id, part), eq(sections.projectId, projectId))),
    );
    for (const row of rows) found.set(row.id, row);
    level = new Set(
      rows.flatMap(({ parentId }) => (parentId === null || found.has(parentId) ? [] : [parentId])),
    );
  }
  return found;
}

/** Everything in a project that its tests can refer to, for exports of all tests. */
export async function referencesOf(q: Query, projectId: number): Promise<References> {
  type Referred = typeof classificationValues | typeof sections | typeof squads | typeof labels;
  const all = <T extends Referred>(table: T) =>
    everyRow((after) =>
      q
        .select()
        .from(table as typeof classificationValues)
        .where(and(eq(table.projectId, projectId), gt(table.id, after)))
        .orderBy(asc(table.id))
        .limit(rowsPerRead),
    ) as Promise<Array<T['$inferSelect']>>;
  return {
    classifications: new Map((await all(classificationValues)).map((row) => [row.id, row])),
    sections: new Map((await all(sections)).map((row) => [row.id, row])),
    squads: new Map((await all(squads)).map((row) => [row.id, row.name])),
    labels: new Map((await all(labels)).map((row) => [row.id, row.name])),
  };
}
