import { and, eq, isNull, sql } from 'drizzle-orm';
import { countRows, forUpdate, inValues, listValue } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { reserveIds } from '../../../core/db/query/reserved-ids.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import { addLabels } from '../cases/case-label-store.ts';
import { changeTime } from '../base/change-time-store.ts';
import {
  labels,
  projects,
  results,
  runs,
  runTests,
  sections,
  squads,
  tests,
  classificationValues,
} from '../base/schema.ts';
import { resultsPerInsert, rowsPerInsert, rowsPerChange } from '../base/statement-sizes.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { catchUp, countCreated } from '../outcomes/outcome-history-store.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { countInProject } from '../projects/project-store.ts';
import { openMarks } from '../query/query-mark-store.ts';
import { classifications, everyClassification, type Classification } from '../rules/classification.ts';
import { failureGroup } from '../rules/failure-group.ts';
import { tally, type TestStatus } from '../rules/test-status.ts';

/*
 * Stores records that come from another installation of test management, with their times and authors, and with their ids where those are
 * free. All in the transaction of the caller, who has checked them.
 */

/** A record with the id that it had elsewhere. */
interface Moved<R> {
  readonly wantedId: number;
  readonly row: R;
}

const tables = {
  project: projects,
  section: sections,
  squad: squads,
  label: labels,
  test: tests,
  run: runs,
} as const;
type MovedKind = keyof typeof tables;
type NewRow<K extends MovedKind> = Omit<(typeof tables)[K]['$inferInsert'], 'id'>;

/** New records get ids above these, so that a wanted id is not given away meanwhile. */
export async function reserveMovedIds(q: Query, upTo: Readonly<Record<MovedKind, number>>): Promise<void> {
  for (const [kind, records] of Object.entries(tables))
    if (upTo[kind as MovedKind] > 0) await reserveIds(q, records, upTo[kind as MovedKind]);
}

/** Stores records of one kind. @returns the id of each, in order: the wanted one where it was free. */
async function insertMoved<K extends MovedKind>(
  q: Query,
  kind: K,
  given: ReadonlyArray<Moved<NewRow<K>>>,
): Promise<readonly number[]> {
  const records = tables[kind] as typeof projects;
  const ids = new Map<number, number>();
  for await (const part of partsInTurns(given, rowsPerInsert)) {
    const rows = part.map(({ wantedId, row }) => ({ ...(row as NewRow<'project'>), id: wantedId }));
    const kept = await q
      .insert(records)
      .values(rows)
      .onConflictDoNothing({ target: records.id })
      .returning({ id: records.id });
    for (const { id } of kept) ids.set(id, id);
    for (const { wantedId, row } of part) {
      if (ids.has(wantedId)) continue;
      const [made] = await q
        .insert(records)
        .values(row as NewRow<'project'>)
        .returning({ id: records.id });
      if (!made) throw new Error('a record was not stored');
      ids.set(wantedId, made.id);
    }
  }
  return given.map(({ wantedId }) => ids.get(wantedId) ?? 0);
}

/** The project with this id, locked for the transaction; undefined without one. */
export async function movedProject(q: Query, projectId: number) {
  const [project] = await forUpdate(q.select().from(projects).where(eq(projects.id, projectId)));
  return project;
}

export const addMovedProject = async (q: Query, project: Moved<NewRow<'project'>>): Promise<number> =>
  (await insertMoved(q, 'project', [project]))[0] ?? 0;

type ValueIds = Readonly<Record<Classification, ReadonlyMap<string, number>>>;

/**
 * Adds values to the classifications of a project. A classification for which none is given gets the usual ones.
 * @returns the ids of all of its values, by {@link nameKey}.
 * @throws Fault PROJECT_FULL.
 */
export async function addMovedValues(
  q: Query,
  projectId: number,
  given: Readonly<Record<Classification, readonly string[]>>,
  author: { readonly by: number; readonly now: number },
): Promise<{ readonly ids: ValueIds; readonly added: number }> {
  const stored = await valuesOf(q, projectId);
  const rows = everyClassification.flatMap((kind) => {
    const known = stored.filter((value) => value.kind === kind);
    const seen = new Set(known.map(({ name }) => nameKey(name)));
    const names = given[kind].length > 0 || known.length > 0 ? given[kind] : classifications[kind].usual;
    return names
      .filter((name) => !seen.has(nameKey(name)) && seen.add(nameKey(name)))
      .map((name, index) => ({
        projectId,
        kind,
        name: name.trim(),
        position: known.length + index,
        updatedBy: author.by,
        updatedAt: author.now,
      }));
  });
  requireRoom('options', stored.length + rows.length);
  for await (const part of partsInTurns(rows, rowsPerInsert))
    await q.insert(classificationValues).values([...part]);
  const all = await valuesOf(q, projectId);
  const ids = Object.fromEntries(
    everyClassification.map((kind) => [
      kind,
      new Map(all.filter((value) => value.kind === kind).map(({ name, id }) => [nameKey(name), id])),
    ]),
  ) as unknown as ValueIds;
  return { ids, added: rows.length };
}

interface MovedName {
  readonly name: string;
  readonly updatedBy: number;
  readonly updatedAt: number;
}

/** Adds labels or squads; a name that the project has already stays as it is. @returns the id of each. @throws Fault PROJECT_FULL. */
export async function addMovedNames(
  q: Query,
  kind: 'label' | 'squad',
  projectId: number,
  given: ReadonlyArray<Moved<MovedName>>,
): Promise<readonly number[]> {
  const records = kind === 'label' ? labels : squads;
  const stored = await q
    .select({ id: records.id, nameKey: records.nameKey })
    .from(records)
    .where(eq(records.projectId, projectId));
  const ids = new Map(stored.map((row) => [row.nameKey, row.id]));
  const missing = new Map<string, Moved<MovedName>>();
  for (const one of given) {
    const key = nameKey(one.row.name);
    if (!ids.has(key) && !missing.has(key)) missing.set(key, one);
  }
  requireRoom(kind === 'label' ? 'labels' : 'squads', ids.size + missing.size);
  const rows = [...missing].map(([key, { wantedId, row }]) => ({
    wantedId,
    row: { ...row, name: row.name.trim(), projectId, nameKey: key },
  }));
  const made = await insertMoved(q, kind, rows);
  for (const [index, { row }] of rows.entries()) ids.set(row.nameKey, made[index] ?? 0);
  return given.map(({ row }) => ids.get(nameKey(row.name)) ?? 0);
}

interface MovedSection {
  readonly name: string;
  readonly parentId: number | null;
  readonly createdAt: number;
  readonly updatedBy: number;
  readonly updatedAt: number;
}

/** The sections of a project that are not deleted. */
export const movedSections = (q: Query, projectId: number) =>
  q
    .select({ id: sections.id, name: sections.name, parentId: sections.parentId })
    .from(sections)
    .where(and(eq(sections.projectId, projectId), isNull(sections.deletedAt)));

/** Adds sections whose parents exist. @returns the id of each. @throws Fault PROJECT_FULL. */
export async function addMovedSections(
  q: Query,
  projectId: number,
  given: ReadonlyArray<Moved<MovedSection>>,
  before: number,
): Promise<readonly number[]> {
  requireRoom('sections', before + given.length);
  const rows = given.map(({ wantedId, row }) => ({
    wantedId,
    row: { ...row, projectId, createdWrite: writeIdOf(q) },
  }));
  return insertMoved(q, 'section', rows);
}

type MovedTest = Omit<NewRow<'test'>, 'projectId' | 'markedAt' | 'createdWrite'> & {
  readonly labelIds: readonly number[];
};

/** Adds tests, and counts them in their project. @returns the id of each. */
export async function addMovedTests(
  q: Query,
  projectId: number,
  given: ReadonlyArray<Moved<MovedTest>>,
): Promise<readonly number[]> {
  const createdWrite = writeIdOf(q);
  const rows = given.map(({ wantedId, row: { labelIds: _labels, ...row } }) => ({
    wantedId,
    row: { ...row, projectId, markedAt: row.updatedAt, createdWrite },
  }));
  const ids = await insertMoved(q, 'test', rows);
  const labelled = given.map(({ row }, index) => ({ testId: ids[index] ?? 0, labels: row.labelIds }));
  await addLabels(q, labelled, new AbortController().signal);
  for await (const part of partsInTurns(ids, rowsPerInsert)) await openMarks(q, { ids: listValue(part) });
  const live = given.filter(({ row }) => (row.deletedAt ?? null) === null);
  await countInProject(q, projectId, { tests: live.length });
  return ids;
}

/** Adds runs without tests, and counts them in their project. @returns the id of each. */
export async function addMovedRuns(
  q: Query,
  projectId: number,
  given: ReadonlyArray<Moved<Omit<NewRow<'run'>, 'projectId'>>>,
): Promise<readonly number[]> {
  const ids = await insertMoved(
    q,
    'run',
    given.map(({ wantedId, row }) => ({ wantedId, row: { ...row, projectId } })),
  );
  await countInProject(q, projectId, { runs: given.length });
  return ids;
}

/** The runs of a project: which there are, and which take no changes. */
export const movedRuns = (q: Query, projectId: number) =>
  q
    .select({ id: runs.id, lockedAt: runs.lockedAt, deletedAt: runs.deletedAt })
    .from(runs)
    .where(eq(runs.projectId, projectId));

/** Appends results to the history, in order. {@link settleMovedResults} counts them. @returns the id of each. */
export async function addMovedResults(
  q: Query,
  given: ReadonlyArray<Omit<typeof results.$inferInsert, 'id' | 'commentGroup'>>,
): Promise<readonly number[]> {
  const ids: number[] = [];
  for await (const part of partsInTurns(given, resultsPerInsert)) {
    const rows = part.map((row) => ({
      ...row,
      commentGroup: row.comment === null || row.comment === undefined ? null : failureGroup(row.comment),
    }));
    // Both engines assign ids in the order of VALUES; neither guarantees the order of RETURNING.
    const made = await q.insert(results).values(rows).returning({ id: results.id });
    ids.push(...made.map(({ id }) => id).toSorted((a, b) => a - b));
  }
  return ids;
}

export interface MovedResult {
  readonly id: number;
  readonly status: TestStatus;
  readonly comment: string | null;
  readonly by: number;
  readonly at: number;
}

/** The last result of each of these tests in a run. */
export async function lastMovedResults(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, MovedResult>> {
  const last = q
    .select({ lastId: sql<number>`max(${results.id})`.mapWith(Number).as('last_id') })
    .from(results)
    .where(and(eq(results.runId, runId), inValues(results.testId, testIds)))
    .groupBy(results.testId)
    .as('last');
  const rows = await q
    .select({
      id: results.id,
      testId: results.testId,
      status: results.status,
      comment: results.comment,
      by: results.by,
      at: results.at,
    })
    .from(last)
    .innerJoin(results, eq(results.id, last.lastId));
  return new Map(rows.map(({ testId, ...row }) => [testId, row]));
}

/** The tests of a run that are among these. */
export async function movedRunTests(
  q: Query,
  runId: number,
  testIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await q
    .select({ testId: runTests.testId })
    .from(runTests)
    .where(and(eq(runTests.runId, runId), inValues(runTests.testId, testIds)));
  return new Set(rows.map(({ testId }) => testId));
}

/** Adds tests to runs, or gives them the status of their last result. */
export async function writeMovedRunTests(
  q: Query,
  given: ReadonlyArray<{
    readonly runId: number;
    readonly testId: number;
    readonly last: MovedResult | undefined;
  }>,
): Promise<void> {
  const rows = given.map(({ runId, testId, last }) => ({
    runId,
    testId,
    status: last?.status ?? ('untested' as const),
    comment: last?.comment ?? null,
    updatedBy: last?.by ?? null,
    updatedAt: last?.at ?? null,
    commentGroup: last?.comment ? failureGroup(last.comment) : null,
  }));
  const set = {
    status: sql`excluded.status`,
    comment: sql`excluded.comment`,
    updatedBy: sql`excluded.updated_by`,
    updatedAt: sql`excluded.updated_at`,
    commentGroup: sql`excluded.comment_group`,
  };
  for await (const part of partsInTurns(rows, rowsPerInsert))
    await q
      .insert(runTests)
      .values([...part])
      .onConflictDoUpdate({ target: [runTests.runId, runTests.testId], set });
}

/** Tests whose results are held at once. */
const testsCountedAtOnce = 50;

/** Counts what was added: the results of each test, and the tests of each run. Yields to other requests. */
export async function settleMovedResults(
  q: Query,
  given: {
    readonly testIds: readonly number[];
    /** The project, if this transaction created it and all of these tests. */
    readonly createdIn: number | undefined;
    readonly runs: ReadonlyArray<{ readonly id: number; readonly isNew: boolean }>;
    readonly by: number;
    readonly now: number;
    readonly progress: (done: number) => void;
  },
): Promise<void> {
  const { by, now } = given;
  const ordered = given.testIds.toSorted((a, b) => a - b);
  const atOnce = given.createdIn === undefined ? 1 : testsCountedAtOnce;
  for (let at = 0; at < ordered.length; at += atOnce) {
    const part = ordered.slice(at, at + atOnce);
    if (given.createdIn === undefined) await catchUp(q, part);
    else await countCreated(q, given.createdIn, part);
    given.progress(at + part.length);
    if (turnIsOver()) await nextTurn();
  }
  for await (const part of partsInTurns(given.runs, rowsPerChange)) {
    for (const { id, isNew } of part) {
      const counts = tally(
        await q
          .select({ status: runTests.status, count: countRows() })
          .from(runTests)
          .where(eq(runTests.runId, id))
          .groupBy(runTests.status),
      );
      const updatedAt = changeTime(runs.updatedAt, now);
      const author = isNew ? {} : { updatedBy: by, updatedAt, testsChangedAt: updatedAt };
      await q
        .update(runs)
        .set({ ...counts, ...author })
        .where(eq(runs.id, id));
    }
  }
}
