import { gt, inArray, sql } from 'drizzle-orm';
import { countRows, inValues, listedInt, listedRows, rowsValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { testLabels } from '../base/schema.ts';
import { idsPerQuery, linksPerInsert, rowsPerInsert } from '../base/statement-sizes.ts';
import { maxLabels, requireFewLabels } from './case-label-changes.ts';
import type { ChangedFields } from './case-store.ts';

interface Labelled {
  readonly testId: number;
  readonly labels: readonly number[];
}

/** Adds these labels to tests. Yields to other requests between its chunks. */
export async function addLabels(q: Query, given: readonly Labelled[], signal: AbortSignal): Promise<void> {
  for await (const part of partsInTurns(linksOf(given), linksPerInsert, signal))
    await q
      .insert(testLabels)
      .values([...part])
      .onConflictDoNothing();
}

const linksOf = (given: readonly Labelled[]) =>
  given.flatMap(({ testId, labels }) => [...new Set(labels)].map((labelId) => ({ testId, labelId })));

/** The pairs are one value: a statement per test would cost a round trip per test. */
const removeLinks = prepared<{ rows: string }, never>(
  (q) =>
    q.delete(testLabels).where(
      sql`(${testLabels.testId}, ${testLabels.labelId}) in (
        select ${listedInt(0)}, ${listedInt(1)} from ${listedRows('rows')})`,
    ),
  'testmgmt_remove_labels',
);

async function removeLabels(q: Query, given: readonly Labelled[], signal: AbortSignal): Promise<void> {
  for await (const part of partsInTurns(linksOf(given), linksPerInsert, signal))
    await removeLinks(q, { rows: rowsValue(part.map(({ testId, labelId }) => [testId, labelId])) });
}

/** @throws Fault TOO_MANY_LABELS that names the tests. */
async function requireFew(q: Query, testIds: readonly number[], signal: AbortSignal): Promise<void> {
  const crowded: number[] = [];
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const rows = await q
      .select({ testId: testLabels.testId })
      .from(testLabels)
      .where(inValues(testLabels.testId, ids))
      .groupBy(testLabels.testId)
      .having(gt(countRows(), maxLabels));
    for (const { testId } of rows) crowded.push(testId);
  }
  requireFewLabels(crowded);
}

/**
 * Changes the labels of tests: replaces all, or removes some and adds others. Yields to other requests between its chunks.
 * @throws Fault TOO_MANY_LABELS.
 */
export async function changeLabels(
  q: Query,
  changes: ReadonlyArray<{ readonly testId: number; readonly fields: ChangedFields }>,
  signal: AbortSignal,
): Promise<void> {
  const given = (name: 'labels' | 'addLabels' | 'removeLabels') =>
    changes.flatMap(({ testId, fields }) => {
      const labels = fields[name];
      return labels === undefined ? [] : [{ testId, labels }];
    });
  for await (const part of partsInTurns(given('labels'), rowsPerInsert, signal)) {
    const ids = part.map(({ testId }) => testId);
    await q.delete(testLabels).where(inArray(testLabels.testId, ids));
    await addLabels(q, part, signal);
  }
  await removeLabels(q, given('removeLabels'), signal);
  const added = given('addLabels');
  await addLabels(q, added, signal);
  await requireFew(
    q,
    added.map(({ testId }) => testId),
    signal,
  );
}
