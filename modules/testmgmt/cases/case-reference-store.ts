import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import { inList, inValues, listValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { ownFieldsOf } from '../fields/field-store.ts';
import { classificationValues, labels, sections, squads } from '../base/schema.ts';
import { everyRow, idsPerQuery, rowsPerRead } from '../base/statement-sizes.ts';
import { sectionPlacesAsOf } from '../versions/as-of-store.ts';
import {
  idsIn,
  requireReferences,
  type References,
  type ReferredIds,
  type ReferringIds,
} from './case-references.ts';

/**
 * Checks the ids of a filter. An id that is unknown or of another project is a mistake that `total: 0` would hide.
 * @param asOf the filter is of this time, in epoch milliseconds: a section may have been there then, or be there now.
 * @throws Fault NOT_IN_PROJECT.
 */
export async function requireFilter(
  q: Query,
  projectId: number,
  filter: ReferringIds,
  asOf: number | null = null,
): Promise<void> {
  if (Object.values(filter).every((id) => id === undefined)) return;
  const ids = idsIn([filter]);
  const known = await loadReferences(q, projectId, ids);
  const then = asOf === null ? [] : await sectionsAndParentsThen(q, projectId, ids.sections, asOf);
  const wereThere = then.filter(({ deletedAt }) => deletedAt === null).map((row) => [row.id, row] as const);
  requireReferences(
    projectId,
    [filter],
    { ...known, sections: new Map([...known.sections, ...wereThere]) },
    { outcome: '' },
  );
}

const noFields: References['fields'] = new Map();

interface ByIds extends Record<string, unknown> {
  readonly projectId: number;
  /** In the format of `listValue`. */
  readonly ids: unknown;
}

const byIds = <T extends typeof classificationValues | typeof squads | typeof labels>(
  table: T,
  name: string,
) =>
  prepared<ByIds, T['$inferSelect']>(
    (q) =>
      q
        .select()
        .from(table as typeof squads)
        .where(and(inList(table.id, 'ids'), eq(table.projectId, sql.placeholder('projectId')))),
    name,
  );

const valuesByIds = byIds(classificationValues, 'testmgmt_values_by_ids');
const squadsByIds = byIds(squads, 'testmgmt_squads_by_ids');
const labelsByIds = byIds(labels, 'testmgmt_labels_by_ids');

/** Sections with all their ancestors. */
const sectionsByIds = prepared<ByIds, typeof sections.$inferSelect>(
  (q) =>
    q
      .select()
      .from(sections)
      .where(
        sql`${sections.id} in (
          with recursive upwards(id, parent_id) as (
            select ${sections.id}, ${sections.parentId} from ${sections}
            where ${inList(sections.id, 'ids')} and ${sections.projectId} = ${sql.placeholder('projectId')}
            union
            select s.id, s.parent_id from ${sections} s join upwards on s.id = upwards.parent_id
          ) select id from upwards)`,
      ),
  'testmgmt_sections_by_ids',
);

/**
 * Sections with all that were their ancestors at a time. One level at a time: within a recursive statement, the engines compute the places
 * of all sections for each of them.
 */
async function sectionsAndParentsThen(q: Query, projectId: number, ids: Iterable<number>, at: number) {
  const found = new Map<number, typeof sections.$inferSelect>();
  for (let level = [...ids]; level.length > 0;) {
    const above = new Set<number>();
    for await (const part of partsInTurns(level, idsPerQuery)) {
      const rows = await q
        .select(getTableColumns(sections))
        .from(sectionPlacesAsOf(projectId, at))
        .where(inValues(sections.id, part));
      for (const row of rows) {
        found.set(row.id, row);
        if (row.parentId !== null) above.add(row.parentId);
      }
    }
    level = [...above].filter((id) => !found.has(id));
  }
  return [...found.values()];
}

/**
 * Loads the records to which tests of a project refer, and no others: a project may have thousands of sections and labels. Includes the
 * parents of sections, and nothing of another project. All statements are started at once.
 * @param asOf sections have the parents of this time, in epoch milliseconds; null: of now.
 */
export async function loadReferences(
  q: Query,
  projectId: number,
  ids: ReferredIds,
  asOf: number | null = null,
): Promise<References> {
  const [valueRows, squadRows, labelRows, sectionRows, fields] = await Promise.all([
    inChunks(valuesByIds, q, projectId, ids.classifications),
    inChunks(squadsByIds, q, projectId, ids.squads),
    inChunks(labelsByIds, q, projectId, ids.labels),
    asOf === null
      ? inChunks(sectionsByIds, q, projectId, ids.sections)
      : sectionsAndParentsThen(q, projectId, ids.sections, asOf),
    ids.fields ? ownFieldsOf(q, projectId, 'test') : noFields,
  ]);
  return {
    fields,
    classifications: new Map(valueRows.map((row) => [row.id, row])),
    squads: new Map(squadRows.map(({ id, name }) => [id, name])),
    labels: new Map(labelRows.map(({ id, name }) => [id, name])),
    sections: new Map(sectionRows.map((row) => [row.id, row])),
  };
}

/** All rows that a statement returns for chunks of ids. Runs no statement if there are no ids. */
async function inChunks<T>(
  statement: (q: Query, values: ByIds) => Promise<readonly T[]>,
  q: Query,
  projectId: number,
  ids: ReadonlySet<number>,
): Promise<readonly T[]> {
  if (ids.size <= idsPerQuery) return ids.size === 0 ? [] : statement(q, { projectId, ids: listValue(ids) });
  const rows: T[] = [];
  for await (const part of partsInTurns([...ids], idsPerQuery)) {
    for (const row of await statement(q, { projectId, ids: listValue(part) })) rows.push(row);
  }
  return rows;
}

/**
 * Everything in a project to which its tests can refer, for exports of all tests.
 * @param asOf as in {@link loadReferences}.
 */
export async function referencesOf(
  q: Query,
  projectId: number,
  asOf: number | null = null,
): Promise<References> {
  type Referred = typeof classificationValues | typeof sections | typeof squads | typeof labels;
  const all = <T extends Referred>(table: T, from = table) =>
    everyRow((after) =>
      q
        .select(getTableColumns(table as typeof classificationValues))
        .from(from as typeof classificationValues)
        .where(and(eq(table.projectId, projectId), gt(table.id, after)))
        .orderBy(asc(table.id))
        .limit(rowsPerRead),
    ) as Promise<Array<T['$inferSelect']>>;
  return {
    fields: await ownFieldsOf(q, projectId, 'test'),
    classifications: new Map((await all(classificationValues)).map((row) => [row.id, row])),
    sections: new Map(
      (await all(sections, asOf === null ? sections : sectionPlacesAsOf(projectId, asOf))).map((row) => [
        row.id,
        row,
      ]),
    ),
    squads: new Map((await all(squads)).map((row) => [row.id, row.name])),
    labels: new Map((await all(labels)).map((row) => [row.id, row.name])),
  };
}
