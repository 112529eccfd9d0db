import { and, eq, getTableColumns, inArray, isNull, sql, type Column, type SQL } from 'drizzle-orm';
import {
  givenRows,
  listedInt,
  listedRows,
  listedText,
  listValue,
  mergedJson,
  rowsValue,
  table,
} from '../../../core/db/query/columns.ts';
import { later, prepared, type Query } from '../../../core/db/query/db.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { changeTime } from '../base/change-time-store.ts';
import { forgetFlipsOfChanged } from '../outcomes/flip-store.ts';
import { countInProject } from '../projects/project-store.ts';
import { openMarks, stillMarked } from '../query/query-mark-store.ts';
import { sortedFieldValues } from '../rules/field-value.ts';
import { sections, testColumns, testLabels, tests } from '../base/schema.ts';
import { rowsPerChange, rowsPerInsert } from '../base/statement-sizes.ts';
import { keepVersions, keepVersionsOf, nextVersion } from '../versions/version-store.ts';
import { columnsOf, type Columns } from './case-columns.ts';
import { addLabels, changeLabels } from './case-label-store.ts';
import { stepsLength } from './case-steps.ts';
import { notInProject, type ChangedFields, type Test, type TestFields } from './case-store.ts';

type Row = typeof tests.$inferInsert;

/**
 * Stores tests of one project whose references were checked, and updates the project's count. Yields to other requests between its chunks.
 * @param given its `items` are read once, chunk by chunk: an import creates them while they are stored.
 * @returns their ids in the given order.
 */
export async function insertTests(
  q: Query,
  given: {
    readonly projectId: number;
    readonly items: Iterable<TestFields>;
    readonly by: number;
    readonly now: number;
    readonly signal: AbortSignal;
    /** Receives the number stored so far after each part. */
    readonly progress?: (stored: number) => void;
  },
): Promise<readonly number[]> {
  const { projectId, items, by, now, signal, progress } = given;
  const ids: number[] = [];
  for await (const part of testsInTurns(items, signal)) {
    const rows = part.map((fields) => newRow(fields, { projectId, by, now, createdWrite: writeIdOf(q) }));
    // Both engines assign ids in the order of the list; neither guarantees the order of RETURNING.
    const inserted = await insertRows(q, { rows: rowsValue(rows.map(listedRow)) });
    const stored = inserted.map(({ id }) => id).toSorted((a, b) => a - b);
    const labelled = stored.map((testId, index) => ({ testId, labels: part[index]?.labels ?? [] }));
    await addLabels(q, labelled, signal);
    await openMarks(q, { ids: listValue(stored) });
    for (const id of stored) ids.push(id);
    progress?.(ids.length);
  }
  await countInProject(q, projectId, { tests: ids.length });
  return ids;
}

/** The columns of a test without the id, which the database assigns, for an INSERT … SELECT. */
const created = table('testmgmt_tests', testColumns());
const createdColumns = Object.entries(getTableColumns(created));

const insertRows = prepared<{ rows: string }, { id: number }>(
  (q) =>
    q
      .insert(created)
      .select(
        sql`select ${sql.join(
          createdColumns.map(([, column], position) => listedValue(column, position)),
          sql`, `,
        )} from ${listedRows('rows')}`,
      )
      .returning({ id: sql<number>`id`.mapWith(Number) }),
  'testmgmt_insert_tests',
);

const listedRow = (row: Row) =>
  createdColumns.map(([name, column]) => storedValue(column, Reflect.get(row, name) ?? column.default));

interface Author {
  readonly projectId: number;
  readonly by: number;
  readonly now: number;
}

const newRow = (
  fields: TestFields,
  { projectId, by, now, createdWrite }: Author & { readonly createdWrite: number | null },
): Row => ({
  description: '',
  preconditions: '',
  steps: [],
  ...columnsOf(fields),
  fields: sortedFieldValues(fields.fields ?? fields.fieldValues),
  name: fields.testName.trim(),
  projectId,
  createdBy: by,
  createdAt: now,
  updatedAt: now,
  updatedBy: by,
  markedAt: now,
  createdWrite,
});

/** Stores one test whose references were checked, and updates the project's count. @returns its row. */
export async function insertTest(
  q: Query,
  { fields, ...author }: Author & { readonly fields: TestFields },
): Promise<Test> {
  const row = newRow(fields, { ...author, createdWrite: writeIdOf(q) });
  const [test] = await q.insert(tests).values(row).returning();
  if (!test) throw new Error('the test was not stored');
  const links = [...new Set(fields.labels)].map((labelId) => ({ testId: test.id, labelId }));
  if (links.length > 0) await later(q, q.insert(testLabels).values(links));
  await later(q, openMarks(q, { ids: listValue([test.id]) }));
  await later(q, countInProject(q, author.projectId, { tests: 1 }));
  return test;
}

/** Characters of tests in one statement: about 2 ms on SQLite. */
const textPerInsert = 256 * 1024;

const lengthOf = ({ testDescription, preconditions, steps }: Partial<TestFields>): number =>
  (testDescription?.length ?? 0) + (preconditions?.length ?? 0) + stepsLength(steps ?? []);

/** Tests in chunks of few rows and little text. Yields to other requests between chunks. */
async function* testsInTurns<T extends Partial<TestFields>>(
  items: Iterable<T>,
  signal: AbortSignal,
): AsyncGenerator<readonly T[]> {
  let part: T[] = [];
  let length = 0;
  for (const item of items) {
    part.push(item);
    length += lengthOf(item);
    if (part.length < rowsPerInsert && length < textPerInsert) continue;
    yield part;
    if (turnIsOver()) await nextTurn(signal);
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

interface TestChange {
  readonly test: Pick<Test, 'id' | 'projectId'>;
  readonly fields: ChangedFields;
}

/**
 * Changes the given fields of tests whose references were checked. Tests with the same fields share a statement, which gets their values as
 * one list. So no text is read only to be written again. Yields to other requests between its chunks.
 */
export async function changeTests(
  q: Query,
  changes: readonly TestChange[],
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const given = changes.map(({ test, fields }) => ({ testId: test.id, columns: columnsOf(fields) }));
  await forgetFlipsOfChanged(q, given, signal);
  const byFields = Map.groupBy(changes, ({ fields }) => Object.keys(columnsOf(fields)).toSorted().join());
  for (const [, alike] of byFields) {
    const items = alike.map(({ test, fields }) => ({ ...fields, test }));
    for await (const part of testsInTurns(items, signal)) {
      await keepVersions(q, part.map(textsOf), now);
      const names = Object.keys(columnsOf(part[0] ?? {})) as Array<keyof Columns>;
      const rows = part.map(({ test, ...fields }) => {
        const columns = columnsOf(fields);
        return [test.id, ...names.map((name) => storedValue(tests[name], columns[name]))];
      });
      const isText = names.some((name) => searchedTexts.has(name));
      const set = {
        ...Object.fromEntries(names.map((name, at) => [name, listedValue(tests[name], at + 1)])),
        ...(part.some(({ fields }) => fields !== undefined)
          ? { fields: mergedJson(tests.fields, listedText(names.indexOf('fields') + 1)) }
          : {}),
        ...changedNow(by, now),
        ...(isText ? { markedAt: changeTime(tests.updatedAt, now) } : {}),
      };
      // PostgreSQL writes a chunk while the next one is made.
      await later(
        q,
        q
          .update(tests)
          .set(set)
          .from(givenRows(rows))
          .where(eq(tests.id, listedInt(0))),
      );
      if (isText) await later(q, openMarks(q, { ids: listValue(part.map(({ test }) => test.id)) }));
    }
  }
  const relabelled = changes.map(({ test, fields }) => ({ testId: test.id, fields }));
  await changeLabels(q, relabelled, signal);
}

/** The long texts that a change gives a test, as they are stored. */
function textsOf({ test, ...fields }: ChangedFields & Pick<TestChange, 'test'>) {
  const { description, preconditions, steps } = columnsOf(fields);
  return { testId: test.id, description, preconditions, steps: steps && JSON.stringify(steps) };
}

/** A value as its column stores it, which JSON can express: numbers and texts. */
const storedValue = (column: Column, value: unknown): string | number | null =>
  value === undefined || value === null ? null : (column.mapToDriverValue(value) as string | number);

/** The value of a column at a position of a listed row. */
const listedValue = (column: Column, position: number): SQL =>
  column.getSQLType() === 'text' ? listedText(position) : listedInt(position);

/** The texts that a search covers. */
const searchedTexts: ReadonlySet<string> = new Set(['name', 'description', 'steps']);

/** What each change of a test sets besides, if it changes no text. */
const changedNow = (by: number, now: number) => ({
  version: nextVersion,
  updatedAt: changeTime(tests.updatedAt, now),
  updatedBy: by,
  markedAt: stillMarked(changeTime(tests.updatedAt, now)),
});

/**
 * Deletes tests of one project; they keep their history and their places in runs (docs/contract.md, Tests and runs). Yields to other
 * requests between its chunks.
 * @throws Fault NOT_IN_PROJECT that names the missing tests by index; then nothing is written.
 */
export async function deleteTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const deleted = new Set<number>();
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    await keepVersionsOf(q, ids, now);
    const rows = await q
      .update(tests)
      .set({ deletedAt: now, ...changedNow(by, now) })
      .where(and(inArray(tests.id, [...ids]), eq(tests.projectId, projectId), isNull(tests.deletedAt)))
      .returning({ id: tests.id });
    for (const { id } of rows) deleted.add(id);
  }
  if (deleted.size < testIds.length) throw notInProject(projectId, testIds, deleted);
  await countInProject(q, projectId, { tests: -deleted.size });
}

/** The section of a restored test: null if it was deleted meanwhile. */
const sectionIfThere = sql`(select ${sections.id} from ${sections}
  where ${sections.id} = ${tests.sectionId} and ${sections.deletedAt} is null)`;

/** Restores deleted tests of a project, each without its section if that is gone. Yields to other requests between its chunks. */
export async function undeleteTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    await keepVersionsOf(q, ids, now);
    await q
      .update(tests)
      .set({
        deletedAt: null,
        ...changedNow(by, now),
        sectionId: sectionIfThere,
      })
      .where(inArray(tests.id, [...ids]));
  }
  await countInProject(q, projectId, { tests: testIds.length });
}
