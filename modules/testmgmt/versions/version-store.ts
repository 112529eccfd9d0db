import { eq, getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { joinedIds, listedInt, listedRows, listedText, rowsValue } from '../../../core/db/query/columns.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { givenInt } from '../../../core/db/query/given-value.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import { changeTime } from '../base/change-time-store.ts';
import { sections, testLabels, tests } from '../base/schema.ts';
import { sectionVersions, testVersions } from '../base/version-schema.ts';

/** The texts that a write gives a test, as they are stored; undefined for those that it does not change. */
interface NewTexts {
  readonly description?: string | undefined;
  readonly preconditions?: string | undefined;
  /** JSON. */
  readonly steps?: string | undefined;
}

const nowOf = givenInt('now');
const writeIdGiven = givenInt('writeId');

/** The time from which a row was as it is: deletions by earlier servers changed no `updatedAt`. */
const since = ({ updatedAt, deletedAt }: { updatedAt: SQL; deletedAt: SQL }): SQL =>
  sql`case when ${deletedAt} > ${updatedAt} then ${deletedAt} else ${updatedAt} end`;

/** An old text only if the write gives another one: otherwise the next newer version has it. */
const textThatEnds = (column: typeof tests.description | typeof tests.steps, position: number): SQL =>
  sql`case when ${listedText(position)} <> ${column} then ${column} end`;

/** The labels of a test as `testmgmt_test_versions.labels` has them. */
const labelsOfTest = sql`',' || coalesce((select ${joinedIds(testLabels.labelId)} || ',' from ${testLabels}
  where ${eq(testLabels.testId, tests.id)}), '')`;

/** The value of each column of a version that ends now; all others are columns of the test with the same name. */
const endingNow: Readonly<Partial<Record<keyof typeof testVersions.$inferSelect, SQL>>> = {
  testId: sql`${tests.id}`,
  fromAt: since({ updatedAt: sql`${tests.updatedAt}`, deletedAt: sql`${tests.deletedAt}` }),
  untilAt: changeTime(tests.updatedAt, nowOf),
  by: sql`coalesce(${tests.updatedBy}, ${tests.createdBy})`,
  writeId: writeIdGiven,
  labels: labelsOfTest,
  description: textThatEnds(tests.description, 1),
  preconditions: textThatEnds(tests.preconditions, 2),
  steps: textThatEnds(tests.steps as never, 3),
};

/** The columns of a table of versions, in their order: as given, or those of the same name of the row that ends. */
const columnsFrom = (versions: SQLiteTable, given: object, rows: typeof tests | typeof sections): SQL =>
  sql.join(
    Object.keys(getTableColumns(versions)).map((name) => {
      const column: unknown = Reflect.get(given, name) ?? Reflect.get(rows, name);
      return sql`${column as SQL}`;
    }),
    sql`, `,
  );

// The list comes first, so that each test is found by its id.
const keep = prepared<{ rows: string; now: number; writeId: number | null }, never>(
  (q) =>
    q.insert(testVersions).select(
      sql`select ${columnsFrom(testVersions, endingNow, tests)} from ${listedRows('rows')}
        cross join ${tests} where ${tests.id} = ${listedInt(0)}`,
    ),
  'testmgmt_keep_versions',
);

/**
 * Keeps tests as they are, as a version each, before a write changes them. The write counts up `version` of the tests with
 * {@link nextVersion}. No text passes through the program, and only texts that end are stored.
 * @param given one chunk of tests, each once.
 */
export async function keepVersions(
  q: Query,
  given: ReadonlyArray<NewTexts & { readonly testId: number }>,
  now: number,
): Promise<void> {
  const rows = given.map(({ testId, description, preconditions, steps }) =>
    description === undefined && preconditions === undefined && steps === undefined
      ? [testId]
      : [testId, description ?? null, preconditions ?? null, steps ?? null],
  );
  await later(q, keep(q, { rows: rowsValue(rows), now, writeId: writeIdOf(q) }));
}

/** {@link keepVersions} for a write that changes no long text. */
export const keepVersionsOf = (q: Query, testIds: readonly number[], now: number): Promise<void> =>
  keepVersions(
    q,
    testIds.map((testId) => ({ testId })),
    now,
  );

/** The `version` of a test after a write whose earlier state {@link keepVersions} kept. */
export const nextVersion: SQL<number> = sql`${tests.version} + 1`;

/** The value of each column of a version of a section that ends now, as in {@link endingNow}. */
const sectionEndingNow: Readonly<Partial<Record<keyof typeof sectionVersions.$inferSelect, SQL>>> = {
  sectionId: sql`${sections.id}`,
  fromAt: since({
    updatedAt: sql`coalesce(${sections.updatedAt}, ${sections.createdAt})`,
    deletedAt: sql`${sections.deletedAt}`,
  }),
  untilAt: sql`${nowOf}`,
  by: sql`${sections.updatedBy}`,
  writeId: writeIdGiven,
};

const keepSectionRows = prepared<{ rows: string; now: number; writeId: number | null }, never>(
  (q) =>
    q.insert(sectionVersions).select(
      sql`select ${columnsFrom(sectionVersions, sectionEndingNow, sections)} from ${listedRows('rows')}
        cross join ${sections} where ${sections.id} = ${listedInt(0)}`,
    ),
  'testmgmt_keep_sections',
);

/** Keeps sections as they are, as {@link keepVersions} does. The write counts up with {@link nextSectionVersion}. */
export async function keepSections(q: Query, sectionIds: readonly number[], now: number): Promise<void> {
  const rows = rowsValue(sectionIds.map((id) => [id]));
  await later(q, keepSectionRows(q, { rows, now, writeId: writeIdOf(q) }));
}

export const nextSectionVersion: SQL<number> = sql`${sections.version} + 1`;
