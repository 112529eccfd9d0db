import { eq, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { resultFieldValues } from '../base/field-schema.ts';
import { results } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { newestResults } from '../evidence/step-result-store.ts';
import { sortedFieldValues, type GivenFieldValues } from '../rules/field-value.ts';
import { ownFieldsOf } from './field-store.ts';
import { requireFieldValues } from './field-value-store.ts';

/** A result for a test, with the values of its own fields. */
interface GivenResultFields {
  readonly testId: number;
  readonly fields?: GivenFieldValues;
}

/** @throws Fault INVALID_FIELD_VALUE that names the first values by their index. */
export async function requireResultFields(
  q: Query,
  projectId: number,
  given: readonly GivenResultFields[],
): Promise<void> {
  if (given.every(({ fields }) => fields === undefined)) return;
  const known = await ownFieldsOf(q, projectId, 'result');
  await requireFieldValues(q, given, { projectId, known, pathOf: (index) => `testResults[${index}].` });
}

/** The tests whose newest result has other values than those that are given: that is news, also where the status stays. */
export async function testsWithNewFields(
  q: Query,
  runId: number,
  given: readonly GivenResultFields[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const news = new Set<number>();
  const withFields = given.flatMap(({ testId, fields }) => (fields ? [{ testId, fields }] : []));
  for await (const part of partsInTurns(withFields, rowsPerInsert, signal)) {
    const newest = newestResults(
      q,
      runId,
      part.map(({ testId }) => testId),
    );
    const rows = await q
      .select({ testId: results.testId, fields: resultFieldValues.fields })
      .from(resultFieldValues)
      .innerJoin(results, eq(results.id, resultFieldValues.resultId))
      .where(inArray(resultFieldValues.resultId, newest));
    const known = new Map(rows.map(({ testId, fields }) => [testId, JSON.stringify(fields)]));
    for (const { testId, fields } of part) {
      const values = sortedFieldValues(fields);
      if ((values && JSON.stringify(values)) !== (known.get(testId) ?? null)) news.add(testId);
    }
  }
  return news;
}

/** Keeps the values of own fields with the results of their tests. */
export async function insertResultFields(
  q: Query,
  written: ReadonlyArray<{ readonly id: number; readonly testId: number }>,
  given: ReadonlyMap<number, GivenResultFields>,
): Promise<void> {
  const rows = written.flatMap(({ id, testId }) => {
    const values = given.get(testId)?.fields;
    const fields = values ? sortedFieldValues(values) : null;
    return fields === null ? [] : [{ resultId: id, fields }];
  });
  if (rows.length > 0) await q.insert(resultFieldValues).values(rows);
}
