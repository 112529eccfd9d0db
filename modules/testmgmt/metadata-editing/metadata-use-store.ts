import { and, asc, eq, gt, inArray, lte } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { changeTime } from '../base/change-time-store.ts';
import { mostByQuery } from '../cases/case-choice-store.ts';
import { fail } from '../base/errors.ts';
import type { NameAuthor } from '../metadata/label-store.ts';
import { stillMarked } from '../query/query-mark-store.ts';
import { idFieldOf } from '../rules/classification.ts';
import { testLabels, tests } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { keepVersionsOf, nextVersion } from '../versions/version-store.ts';
import type { MetadataKind } from './metadata-kind.ts';

/** A name that tests of a project use. */
interface Used {
  readonly projectId: number;
  readonly kind: MetadataKind;
  readonly id: number;
}

interface Using {
  readonly id: number;
  readonly deletedAt: number | null;
}

/** Tests that one statement examines: a few milliseconds on an index. */
const stepSize = 10_000;

/**
 * The tests that have a name, including deleted ones, which keep it when they are restored. Works in steps between which other requests
 * run.
 * @throws Fault TOO_MANY_TESTS: one transaction changes all of them.
 */
export async function testsUsing(q: Query, used: Used, signal: AbortSignal): Promise<readonly Using[]> {
  const found: Using[] = [];
  const step = used.kind === 'label' ? stepOfLabel : stepOfColumn;
  for (let after: number | null = 0; after !== null;) {
    const { rows, last } = await step(q, used, after);
    for (const row of rows) found.push(row);
    if (found.length > mostByQuery)
      throw fail.TOO_MANY_TESTS(`More than ${mostByQuery} tests have it. Nothing was written.`, {
        cause: 'kind',
      });
    after = last;
    if (turnIsOver()) await nextTurn(signal);
  }
  return found;
}

async function stepOfLabel(q: Query, { id }: Used, after: number) {
  const rows = await q
    .select({ id: tests.id, deletedAt: tests.deletedAt })
    .from(testLabels)
    .innerJoin(tests, eq(tests.id, testLabels.testId))
    .where(and(eq(testLabels.labelId, id), gt(testLabels.testId, after)))
    .orderBy(asc(testLabels.testId))
    .limit(stepSize / 10);
  return { rows, last: rows.length < stepSize / 10 ? null : (rows.at(-1)?.id ?? null) };
}

const columnOf = (kind: Exclude<MetadataKind, 'label'>) =>
  kind === 'squad' ? tests.squadId : tests[idFieldOf[kind]];

async function stepOfColumn(q: Query, { projectId, kind, id }: Used, after: number) {
  if (kind === 'label') return { rows: [], last: null };
  const beyond = and(eq(tests.projectId, projectId), gt(tests.id, after));
  const [end] = await q
    .select({ id: tests.id })
    .from(tests)
    .where(beyond)
    .orderBy(asc(tests.id))
    .limit(1)
    .offset(stepSize - 1);
  const rows = await q
    .select({ id: tests.id, deletedAt: tests.deletedAt })
    .from(tests)
    .where(and(beyond, end ? lte(tests.id, end.id) : undefined, eq(columnOf(kind), id)))
    .orderBy(asc(tests.id));
  return { rows, last: end?.id ?? null };
}

/**
 * Replaces a name of tests by another one of the same list, or removes it. Yields to other requests between its chunks.
 * @param into null to remove.
 */
export async function replaceIn(
  q: Query,
  { kind, id }: Used,
  testIds: readonly number[],
  { into, by, now, signal }: NameAuthor & { readonly into: number | null; readonly signal: AbortSignal },
): Promise<void> {
  const at = changeTime(tests.updatedAt, now);
  const change = { updatedBy: by, updatedAt: at, markedAt: stillMarked(at), version: nextVersion };
  for await (const ids of partsInTurns(testIds, rowsPerChange, signal)) {
    await keepVersionsOf(q, ids, now);
    if (kind !== 'label') {
      const column = kind === 'squad' ? ('squadId' as const) : idFieldOf[kind];
      await q
        .update(tests)
        .set({ [column]: into, ...change })
        .where(inValues(tests.id, ids));
      continue;
    }
    if (into !== null)
      await q
        .insert(testLabels)
        .values(ids.map((testId) => ({ testId, labelId: into })))
        .onConflictDoNothing();
    await q.delete(testLabels).where(and(eq(testLabels.labelId, id), inArray(testLabels.testId, [...ids])));
    await q.update(tests).set(change).where(inValues(tests.id, ids));
  }
}
