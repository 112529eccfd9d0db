import { columnsOf } from './case-columns.ts';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/turns.ts';
import { stepsLength } from './case-steps.ts';
import { linksPerInsert, rowsPerChange, rowsPerInsert } from '../statement-sizes.ts';
import { countInProject } from '../projects/project-store.ts';
import { testLabels, tests } from '../schema.ts';
import { notInProject, type Test, type TestFields } from './case-store.ts';

type Row = typeof tests.$inferInsert;
/**
 * Stores tests of one project whose references are checked, and counts them. Lets requests in between its parts.
 * @param items read once, part by part: an import makes them while they are stored.
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
  },
): Promise<readonly number[]> {
  const { projectId, items, by, now, signal } = given;
  const ids: number[] = [];
  for await (const part of testsInTurns(items, signal)) {
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
    const inserted = await q.insert(tests).values(rows).returning({ id: tests.id });
    const stored = inserted.map(({ id }) => id).toSorted((a, b) => a - b);
    const labelled = stored.map((testId, index) => ({ testId, labels: part[index]?.labels ?? [] }));
    await insertLabels(q, labelled, signal);
    for (const id of stored) ids.push(id);
  }
  await countInProject(q, projectId, { tests: ids.length });
  return ids;
}

/** How much text of tests goes into one statement, in characters: SQLite takes some 2 ms for it. */
const textPerInsert = 256 * 1024;

const lengthOf = ({ testDescription, preconditions, steps }: Partial<TestFields>): number =>
  (testDescription?.length ?? 0) + (preconditions?.length ?? 0) + stepsLength(steps ?? []);

/** Tests in parts of few rows and little text, one after the other, with requests let in between them. */
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

async function insertLabels(
  q: Query,
  given: ReadonlyArray<{ readonly testId: number; readonly labels: readonly number[] }>,
  signal: AbortSignal,
): Promise<void> {
  const rows = given.flatMap(({ testId, labels }) =>
    [...new Set(labels)].map((labelId) => ({ testId, labelId })),
  );
  for await (const part of partsInTurns(rows, linksPerInsert, signal))
    await q.insert(testLabels).values([...part]);
}

/** A test and the fields of it that change. */
interface TestChange {
  readonly test: Pick<Test, 'id' | 'projectId'>;
  readonly fields: Partial<TestFields>;
}

/**
 * Changes the given fields of tests whose references are checked. Tests with the same fields go together: their rows are offered to
 * INSERT, every one meets its own row, and only these columns are taken from it. So no text has to be read to be written
 * again. Lets requests in between its parts.
 */
export async function changeTests(
  q: Query,
  changes: readonly TestChange[],
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const byFields = Map.groupBy(changes, ({ fields }) => Object.keys(columnsOf(fields)).toSorted().join());
  for (const [, alike] of byFields) {
    const items = alike.map(({ test, fields }) => ({ ...fields, test }));
    for await (const part of testsInTurns(items, signal)) {
      const rows = part.map(({ test, ...fields }) => ({
        ...unread,
        ...columnsOf(fields),
        id: test.id,
        projectId: test.projectId,
        updatedAt: now,
      }));
      const names = [...Object.keys(columnsOf(part[0] ?? {})), 'updatedAt'] as Array<keyof Row>;
      const set = Object.fromEntries(
        names.map((name) => [name, sql`excluded.${sql.identifier(tests[name].name)}`]),
      );
      await q.insert(tests).values(rows).onConflictDoUpdate({ target: tests.id, set });
    }
  }
  const relabelled = changes.flatMap(({ test, fields }) =>
    fields.labels === undefined ? [] : [{ testId: test.id, labels: fields.labels }],
  );
  for await (const part of partsInTurns(relabelled, rowsPerInsert, signal)) {
    const ids = part.map(({ testId }) => testId);
    await q.delete(testLabels).where(inArray(testLabels.testId, ids));
    await insertLabels(q, part, signal);
  }
}

/** What a row needs to be offered, and never gets: there is always one that it meets. */
const unread = { name: '', description: '', preconditions: '', steps: [], createdBy: 0, createdAt: 0 };

/**
 * Deletes tests of one project; they keep their history and their place in runs (docs/contract.md, Tests and runs). Lets requests in between its parts.
 * @throws Fault NOT_IN_PROJECT naming by index those that are not there; then nothing is written.
 */
export async function deleteTests(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const deleted = new Set<number>();
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    const rows = await q
      .update(tests)
      .set({ deletedAt: now })
      .where(and(inArray(tests.id, [...ids]), eq(tests.projectId, projectId), isNull(tests.deletedAt)))
      .returning({ id: tests.id });
    for (const { id } of rows) deleted.add(id);
  }
  if (deleted.size < testIds.length) throw notInProject(projectId, testIds, deleted);
  await countInProject(q, projectId, { tests: -deleted.size });
}

/** Brings a deleted test back. Where its section is gone meanwhile, it comes back without one. */
export async function undeleteTest(q: Query, test: Test, sectionIsGone: boolean, now: number): Promise<Test> {
  const [restored] = await q
    .update(tests)
    .set({ deletedAt: null, updatedAt: now, ...(sectionIsGone ? { sectionId: null } : {}) })
    .where(eq(tests.id, test.id))
    .returning();
  if (!restored) throw new Error('the test is gone');
  await countInProject(q, test.projectId, { tests: 1 });
  return restored;
}
