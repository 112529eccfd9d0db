import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../core/db/db.ts';
import { idsPerQuery, parts, rowsPerInsert } from './parts.ts';
import { countInProject } from './projects.ts';
import { testLabels, tests } from './schema.ts';
import { notInProject } from './run-tests.ts';
import type { Test, TestFields } from './tests.ts';

type Row = typeof tests.$inferInsert;
type Columns = Pick<
  Test,
  | 'name'
  | 'description'
  | 'preconditions'
  | 'steps'
  | 'sectionId'
  | 'priorityId'
  | 'typeId'
  | 'automationStatusId'
  | 'platformId'
  | 'testCoveredById'
  | 'squadId'
>;

/** The columns that the given fields of a test fill; a field that is not given fills none. Pure. */
export function columnsOf(fields: Partial<TestFields>): Partial<Columns> {
  const { testName, testDescription, preconditions, steps, labels: _, ...ids } = fields;
  const columns: Partial<Columns> = {
    ...(testName === undefined ? {} : { name: testName.trim() }),
    ...(testDescription === undefined ? {} : { description: testDescription.trim() }),
    ...(preconditions === undefined ? {} : { preconditions: preconditions.trim() }),
    ...(steps === undefined ? {} : { steps }),
    ...pick(ids),
  };
  return columns;
}

/** The ids among the fields. Named one by one, so that what is no column never reaches a statement. */
function pick(given: Partial<TestFields>) {
  const { sectionId, priorityId, typeId, automationStatusId, platformId, testCoveredById, squadId } = given;
  const ids = { sectionId, priorityId, typeId, automationStatusId, platformId, testCoveredById, squadId };
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
}

/**
 * Stores tests of one project whose references are checked, and counts them.
 * @returns their rows in the given order, without what was given.
 */
export async function insertTests(
  q: Query,
  given: {
    readonly projectId: number;
    readonly items: readonly TestFields[];
    readonly by: number;
    readonly now: number;
  },
): Promise<readonly Test[]> {
  const { projectId, items, by, now } = given;
  const stored: Test[] = [];
  for (const part of parts(items, rowsPerInsert)) {
    const rows = part.map((fields) => ({
      description: '',
      preconditions: '',
      steps: [],
      ...columnsOf(fields),
      name: fields.testName.trim(),
      projectId,
      createdBy: by,
      createdAt: now,
      updatedAt: now,
    }));
    // Both engines give out ids in the order of VALUES; the order of RETURNING is promised by neither.
    const inserted = await q.insert(tests).values(rows).returning();
    stored.push(...inserted.toSorted((a, b) => a.id - b.id));
  }
  await insertLabels(
    q,
    stored.map(({ id }, index) => ({ testId: id, labels: items[index]?.labels ?? [] })),
  );
  await countInProject(q, projectId, { tests: stored.length });
  return stored;
}

async function insertLabels(
  q: Query,
  given: ReadonlyArray<{ readonly testId: number; readonly labels: readonly number[] }>,
): Promise<void> {
  const rows = given.flatMap(({ testId, labels }) =>
    [...new Set(labels)].map((labelId) => ({ testId, labelId })),
  );
  for (const part of parts(rows, idsPerQuery)) await q.insert(testLabels).values(part);
}

/** A test as it is and the fields that change. */
export interface TestChange {
  readonly test: Test;
  readonly fields: Partial<TestFields>;
}

/**
 * Changes the given fields of tests whose references are checked, in few statements however many and however different
 * they are: whole rows are offered to INSERT and every one meets its own row.
 * @returns the rows as they are now, in the given order.
 */
export async function changeTests(
  q: Query,
  changes: readonly TestChange[],
  now: number,
): Promise<readonly Test[]> {
  const changed = changes.map(({ test, fields }) => ({ ...test, ...columnsOf(fields), updatedAt: now }));
  const names = new Set<keyof Row>(['updatedAt']);
  for (const { fields } of changes) {
    for (const name of Object.keys(columnsOf(fields)) as Array<keyof Columns>) names.add(name);
  }
  const set = Object.fromEntries(
    [...names].map((name) => [name, sql`excluded.${sql.identifier(tests[name].name)}`]),
  );
  for (const part of parts(changed, rowsPerInsert)) {
    await q.insert(tests).values(part).onConflictDoUpdate({ target: tests.id, set });
  }
  const relabelled = changes.flatMap(({ test, fields }) =>
    fields.labels === undefined ? [] : [{ testId: test.id, labels: fields.labels }],
  );
  for (const part of parts(relabelled, idsPerQuery)) {
    const ids = part.map(({ testId }) => testId);
    await q.delete(testLabels).where(inArray(testLabels.testId, ids));
  }
  await insertLabels(q, relabelled);
  return changed;
}

/**
 * Deletes tests of one project; they keep their history and their place in runs (CONTRACT §3).
 * @throws Fault NOT_IN_PROJECT naming by index those that are not there; then nothing is written.
 */
export async function deleteTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  now: number,
): Promise<void> {
  const deleted = new Set<number>();
  for (const ids of parts(testIds, idsPerQuery)) {
    const rows = await q
      .update(tests)
      .set({ deletedAt: now })
      .where(and(inArray(tests.id, ids), eq(tests.projectId, projectId), isNull(tests.deletedAt)))
      .returning({ id: tests.id });
    for (const { id } of rows) deleted.add(id);
  }
  if (deleted.size < testIds.length) throw notInProject(projectId, testIds, deleted);
  await countInProject(q, projectId, { tests: -deleted.size });
}

/** Brings a deleted test back. Where its section is gone meanwhile, it comes back without one. */
export async function restoreTest(q: Query, test: Test, sectionIsGone: boolean, now: number): Promise<Test> {
  const [restored] = await q
    .update(tests)
    .set({ deletedAt: null, updatedAt: now, ...(sectionIsGone ? { sectionId: null } : {}) })
    .where(eq(tests.id, test.id))
    .returning();
  if (!restored) throw new Error('the test is gone');
  await countInProject(q, test.projectId, { tests: 1 });
  return restored;
}
