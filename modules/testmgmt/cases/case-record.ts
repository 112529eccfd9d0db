import { asc, inArray } from 'drizzle-orm';
import { isoTime } from '../../../core/clock.ts';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { testLabels } from '../schema.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { idsIn, loadReferences, type References } from './case-references.ts';
import type { SlimTest, Test } from './case-store.ts';

/** The label ids of some tests, by test, in a stable order. */
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

/** The record of a test as lists show it: without the long texts. Pure. */
export function slimRecord(test: SlimTest, labelIds: readonly number[], known: References) {
  const nameOf = (optionId: number | null) =>
    optionId === null ? null : (known.options.get(optionId)?.name ?? null);
  return {
    testId: test.id,
    projectId: test.projectId,
    testName: test.name,
    sectionId: test.sectionId,
    sectionPath: sectionPath(known.sections, test.sectionId),
    priorityId: test.priorityId,
    priority: nameOf(test.priorityId),
    typeId: test.typeId,
    type: nameOf(test.typeId),
    automationStatusId: test.automationStatusId,
    automationStatus: nameOf(test.automationStatusId),
    platformId: test.platformId,
    platform: nameOf(test.platformId),
    testCoveredById: test.testCoveredById,
    testCoveredBy: nameOf(test.testCoveredById),
    squadId: test.squadId,
    squad: test.squadId === null ? null : (known.squads.get(test.squadId) ?? null),
    labels: labelIds.map((labelId) => ({ labelId, labelName: known.labels.get(labelId) ?? '' })),
    createdBy: test.createdBy,
    createdAt: isoTime(test.createdAt),
    updatedAt: isoTime(test.updatedAt),
  };
}

/** The whole record of a test. Pure. */
export function wholeRecordOf(test: Test, labelIds: readonly number[], known: References) {
  const { description, preconditions, steps } = test;
  return {
    ...slimRecord(test, labelIds, known),
    testDescription: description,
    preconditions,
    steps: [...steps],
  };
}

/** The records of some tests of one project as lists show them. */
export async function slimRecords(q: Query, projectId: number, rows: readonly SlimTest[]) {
  if (rows.length === 0) return [];
  const labelled = await labelsOf(
    q,
    rows.map(({ id }) => id),
  );
  const ids = idsIn([...rows, ...[...labelled.values()].map((labels) => ({ labels }))]);
  const known = await loadReferences(q, projectId, ids);
  return rows.map((test) => slimRecord(test, labelled.get(test.id) ?? [], known));
}

/** The whole record of one test. */
export async function wholeRecord(q: Query, test: Test) {
  const labels = (await labelsOf(q, [test.id])).get(test.id) ?? [];
  return wholeRecordOf(test, labels, await loadReferences(q, test.projectId, idsIn([{ ...test, labels }])));
}
