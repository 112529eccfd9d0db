import { asc, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { testLabels } from '../schema.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { testRecordOf, testSummaryRecordOf } from './case-record.ts';
import { loadReferences } from './case-reference-store.ts';
import { idsIn } from './case-references.ts';
import type { Test, TestSummary } from './case-store.ts';

/** The label ids of tests by test, in ascending order. */
export async function labelsOf(
  q: Query,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const byTest = new Map<number, number[]>();
  for await (const ids of partsInTurns(testIds, idsPerQuery)) {
    const rows = await q
      .select()
      .from(testLabels)
      .where(inArray(testLabels.testId, [...ids]))
      .orderBy(asc(testLabels.testId), asc(testLabels.labelId));
    for (const { testId, labelId } of rows) {
      const known = byTest.get(testId);
      if (known) known.push(labelId);
      else byTest.set(testId, [labelId]);
    }
  }
  return byTest;
}

export async function loadTestSummaries(q: Query, projectId: number, rows: readonly TestSummary[]) {
  if (rows.length === 0) return [];
  const labelled = await labelsOf(
    q,
    rows.map(({ id }) => id),
  );
  const ids = idsIn([...rows, ...[...labelled.values()].map((labels) => ({ labels }))]);
  const known = await loadReferences(q, projectId, ids);
  return rows.map((test) => testSummaryRecordOf(test, labelled.get(test.id) ?? [], known));
}

export async function loadTestRecord(q: Query, test: Test) {
  const labels = (await labelsOf(q, [test.id])).get(test.id) ?? [];
  return testRecordOf(test, labels, await loadReferences(q, test.projectId, idsIn([{ ...test, labels }])));
}
