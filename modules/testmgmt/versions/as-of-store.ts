import { getTableColumns, getTableName, sql, Subquery, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { inValues, joinedIds } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { sections, testLabels, tests } from '../base/schema.ts';
import { sectionVersions, testVersions } from '../base/version-schema.ts';
import { labelIdsOf } from './label-text.ts';

/** The labels of a test of {@link testsAsOf}, as `testmgmt_test_versions.labels` has them. */
export const labelsThen = sql.raw(`"testmgmt_tests"."labels_then"`);

const [now, then, newer] = ['now_', 'then_', 'newer_'].map((name) => sql.raw(name)) as [SQL, SQL, SQL];

/** The version that held at a time: the earliest that ended later. None if the row has not changed since. */
const thatHeld = (versions: SQLiteTable, id: SQL, at: number): SQL => sql`left join ${versions} ${then}
  on ${then}.${id} = ${now}.id and ${then}.version = (select min(${newer}.version) from ${versions} ${newer}
    where ${newer}.${id} = ${now}.id and ${newer}.until_at > ${at})`;

const longTexts: ReadonlySet<string> = new Set(['description', 'preconditions', 'steps']);

/** The text of the version, or of the next newer one that has one, or the present one. */
const textThen = (
  column: SQL,
): SQL => sql`coalesce(${then}.${column}, (select ${newer}.${column} from ${testVersions} ${newer}
  where ${newer}.test_id = ${now}.id and ${newer}.version > ${then}.version and ${newer}.${column} is not null
  order by ${newer}.version limit 1), ${now}.${column})`;

/** The columns of a table as of a time. @param special those that no version has under the same name. */
function columnsThen(
  rows: typeof tests | typeof sections,
  versions: typeof testVersions | typeof sectionVersions,
  id: SQL,
  special: Readonly<Record<string, SQL>>,
): SQL {
  const kept = new Set(Object.values(getTableColumns(versions)).map(({ name }) => name));
  const columns = Object.values(getTableColumns(rows)).map(({ name }) => {
    const column = sql.identifier(name) as unknown as SQL;
    const own =
      special[name] ??
      (longTexts.has(name)
        ? textThen(column)
        : kept.has(name)
          ? sql`case when ${then}.${id} is null then ${now}.${column} else ${then}.${column} end`
          : sql`${now}.${column}`);
    return sql`${own} as ${column}`;
  });
  return sql.join(columns, sql`, `);
}

const changedThen = (id: SQL) => ({
  updated_at: sql`coalesce(${then}.from_at, ${now}.updated_at)`,
  updated_by: sql`case when ${then}.${id} is null then ${now}.updated_by else ${then}.by_user end`,
});

const testId = sql.raw('test_id');
const testColumnsThen = columnsThen(tests, testVersions, testId, {
  ...changedThen(testId),
  // The marks are those of the present texts, so every text has to be read.
  marked_at: sql`cast(null as bigint)`,
});

/** A select under the name of a table: whatever is written for the table selects from it, too. */
const inPlaceOf = <T extends typeof tests | typeof sections>(table: T, select: SQL): T =>
  new Subquery(select, {}, getTableName(table)) as unknown as T;

/**
 * The tests as they were at a time, in the place of their table. They have the column {@link labelsThen} besides.
 * @param at epoch milliseconds.
 */
export const testsAsOf = (at: number): typeof tests =>
  inPlaceOf(
    tests,
    sql`select ${testColumnsThen}, case when ${then}.${testId} is null
        then ',' || coalesce((select ${joinedIds(sql.raw('l_.label_id'))} || ',' from ${testLabels} l_
          where l_.test_id = ${now}.id), '')
        else ${then}.labels end as labels_then
      from ${tests} ${now} ${thatHeld(testVersions, testId, at)} where ${now}.created_at <= ${at}`,
  );

const sectionId = sql.raw('section_id');
const sectionColumnsThen = columnsThen(sections, sectionVersions, sectionId, changedThen(sectionId));

/** The sections as they were at a time, as {@link testsAsOf}. */
export const sectionsAsOf = (at: number): typeof sections =>
  inPlaceOf(
    sections,
    sql`select ${sectionColumnsThen} from ${sections} ${now} ${thatHeld(sectionVersions, sectionId, at)}
      where ${now}.created_at <= ${at}`,
  );

const placeColumnsThen = columnsThen(sections, sectionVersions, sectionId, {
  ...changedThen(sectionId),
  name: sql`${now}.name`,
});

/** The sections of a project where they were at a time, with the names of today: for records and queries of tests (docs/versions.md). */
export const sectionPlacesAsOf = (projectId: number, at: number): typeof sections =>
  inPlaceOf(
    sections,
    sql`select ${placeColumnsThen} from ${sections} ${now} ${thatHeld(sectionVersions, sectionId, at)}
      where ${now}.created_at <= ${at} and ${now}.project_id = ${projectId}`,
  );

/** The ids of the labels that tests had at a time, in ascending order, by test. */
export async function labelIdsAsOf(
  q: Query,
  testIds: readonly number[],
  at: number,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await q
    .select({ id: tests.id, labels: sql<string>`${labelsThen}` })
    .from(testsAsOf(at))
    .where(inValues(tests.id, testIds));
  return new Map(rows.map(({ id, labels }) => [id, labelIdsOf(labels)]));
}
