import { asc, eq } from 'drizzle-orm';
import { inList, listValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { shownLinks } from '../links/link-store.ts';
import { lastResultsOf } from '../outcomes/outcome-store.ts';
import { labels, testLabels } from '../base/schema.ts';
import { idsPerQuery } from '../base/statement-sizes.ts';
import type { TestThen } from '../versions/version-read-store.ts';
import { resultFieldsOf, testRecordOf, testSummaryRecordOf, type Label } from './case-record.ts';
import { loadReferences } from './case-reference-store.ts';
import { idsIn, namedLabels, type References } from './case-references.ts';
import { labelIdsAsOf } from '../versions/as-of-store.ts';
import type { Test, TestSummary } from './case-store.ts';

const labelsOfTests = prepared<{ ids: unknown }, Label & { testId: number }>(
  (q) =>
    q
      .select({ testId: testLabels.testId, labelId: testLabels.labelId, labelName: labels.name })
      .from(testLabels)
      .innerJoin(labels, eq(labels.id, testLabels.labelId))
      .where(inList(testLabels.testId, 'ids'))
      .orderBy(asc(testLabels.testId), asc(testLabels.labelId)),
  'testmgmt_labels_of_tests',
);

/** The labels of each test, in ascending order of their ids. */
export async function labelsOf(
  q: Query,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Label[]>> {
  const byTest = new Map<number, Label[]>();
  const add = (rows: ReadonlyArray<Label & { testId: number }>) => {
    for (const { testId, ...label } of rows) {
      const known = byTest.get(testId);
      if (known) known.push(label);
      else byTest.set(testId, [label]);
    }
  };
  if (testIds.length <= idsPerQuery) add(await labelsOfTests(q, { ids: listValue(testIds) }));
  else
    for await (const ids of partsInTurns(testIds, idsPerQuery))
      add(await labelsOfTests(q, { ids: listValue(ids) }));
  return byTest;
}

/** The labels that tests had at a time, of those that still exist, with the names of today. */
export async function labelsAsOf(
  q: Query,
  testIds: readonly number[],
  at: number,
  known: Pick<References, 'labels'>,
): Promise<ReadonlyMap<number, readonly Label[]>> {
  const ids = await labelIdsAsOf(q, testIds, at);
  return new Map(
    [...ids].map(([testId, labelIds]) => [
      testId,
      labelIds.flatMap((labelId) => {
        const labelName = known.labels.get(labelId);
        return labelName === undefined ? [] : [{ labelId, labelName }];
      }),
    ]),
  );
}

async function loadSummariesAsOf(q: Query, projectId: number, rows: readonly TestSummary[], at: number) {
  const ids = await labelIdsAsOf(
    q,
    rows.map(({ id }) => id),
    at,
  );
  const referring = rows.map((test) => ({ ...test, labels: ids.get(test.id) ?? [] }));
  const known = await loadReferences(q, projectId, idsIn(referring), at);
  return referring.map(({ labels: labelIds, ...test }) => {
    const there = labelIds.filter((id) => known.labels.has(id));
    return { ...testSummaryRecordOf(test, namedLabels(there, known), known), ...resultFieldsOf() };
  });
}

/**
 * The records of a page. All statements are started at once.
 * @param asOf the rows are as of this time, in epoch milliseconds; null: of now. Then they have no results.
 */
export async function loadTestSummaries(
  q: Query,
  projectId: number,
  rows: readonly TestSummary[],
  asOf: number | null = null,
) {
  if (rows.length === 0) return [];
  if (asOf !== null) return loadSummariesAsOf(q, projectId, rows, asOf);
  const testIds = rows.map(({ id }) => id);
  const [labelled, known, last] = await Promise.all([
    labelsOf(q, testIds),
    loadReferences(q, projectId, idsIn(rows)),
    lastResultsOf(q, testIds),
  ]);
  return rows.map((test) => ({
    ...testSummaryRecordOf(test, labelled.get(test.id) ?? [], known),
    ...resultFieldsOf(last.get(test.id)),
  }));
}

export async function loadTestRecord(q: Query, test: Test) {
  const [labelled, known, last, linksOf] = await Promise.all([
    labelsOf(q, [test.id]),
    loadReferences(q, test.projectId, idsIn([test])),
    lastResultsOf(q, [test.id]),
    shownLinks(q, test.projectId, [test.id]),
  ]);
  return {
    ...testRecordOf(test, labelled.get(test.id) ?? [], known),
    ...resultFieldsOf(last.get(test.id)),
    links: linksOf(test.id),
    version: test.version,
  };
}

/**
 * The record of a test as it was, without its results and links. Names are those of today.
 * @param asOf as in `loadReferences`.
 */
export async function loadRecordThen(
  q: Query,
  { test, labels: labelIds }: TestThen,
  asOf: number | null = null,
) {
  const known = await loadReferences(q, test.projectId, idsIn([{ ...test, labels: labelIds }]), asOf);
  const there = labelIds.filter((labelId) => known.labels.has(labelId));
  return {
    ...testRecordOf(test, namedLabels(there, known), known),
    ...resultFieldsOf(),
    links: [],
    version: test.version,
  };
}
