import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { inList, listValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { ownFieldsOf } from '../fields/field-store.ts';
import { classificationValues, labels, sections, squads } from '../base/schema.ts';
import { everyRow, idsPerQuery, rowsPerRead } from '../base/statement-sizes.ts';
import {
  idsIn,
  requireReferences,
  type References,
  type ReferredIds,
  type ReferringIds,
} from './case-references.ts';

/**
 * Checks the ids of a filter. An id that is unknown or of another project is a mistake that `total: 0` would hide.
 * @throws Fault NOT_IN_PROJECT.
 */
export async function requireFilter(q: Query, projectId: number, filter: ReferringIds): Promise<void> {
  if (Object.values(filter).every((id) => id === undefined)) return;
  requireReferences(projectId, [filter], await loadReferences(q, projectId, idsIn([filter])), {
    outcome: '',
  });
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
 * Loads the records to which tests of a project refer, and no others: a project may have thousands of sections and labels. Includes the
 * parents of sections, and nothing of another project. All statements are started at once.
 */
export async function loadReferences(q: Query, projectId: number, ids: ReferredIds): Promise<References> {
  const [valueRows, squadRows, labelRows, sectionRows, fields] = await Promise.all([
    inChunks(valuesByIds, q, projectId, ids.classifications),
    inChunks(squadsByIds, q, projectId, ids.squads),
    inChunks(labelsByIds, q, projectId, ids.labels),
    inChunks(sectionsByIds, q, projectId, ids.sections),
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

/** Everything in a project to which its tests can refer, for exports of all tests. */
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
    fields: await ownFieldsOf(q, projectId, 'test'),
    classifications: new Map((await all(classificationValues)).map((row) => [row.id, row])),
    sections: new Map((await all(sections)).map((row) => [row.id, row])),
    squads: new Map((await all(squads)).map((row) => [row.id, row.name])),
    labels: new Map((await all(labels)).map((row) => [row.id, row.name])),
  };
}
