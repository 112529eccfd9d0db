import { and, eq, inArray, max } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { resultSteps } from '../base/evidence-schema.ts';
import { results, tests } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { stepFault, tidySteps, type StepResult } from '../rules/step-result.ts';

/** A result for a test, with those of its steps. */
interface GivenSteps {
  readonly testId: number;
  readonly stepResults?: readonly StepResult[];
}

/** @throws Fault INVALID_REQUEST that names the first step that its test does not have. */
export async function requireSteps(
  q: Query,
  given: readonly GivenSteps[],
  signal: AbortSignal,
): Promise<void> {
  const withSteps = given.flatMap(({ testId, stepResults }, index) =>
    stepResults === undefined ? [] : [{ testId, stepResults, index }],
  );
  for await (const part of partsInTurns(withSteps, rowsPerInsert, signal)) {
    const rows = await q
      .select({ id: tests.id, steps: tests.steps })
      .from(tests)
      .where(
        inArray(
          tests.id,
          part.map(({ testId }) => testId),
        ),
      );
    const counts = new Map(rows.map(({ id, steps }) => [id, steps.length]));
    for (const { testId, stepResults, index } of part) {
      const fault = stepFault(stepResults, counts.get(testId) ?? 0);
      if (fault !== null)
        throw fail.INVALID_REQUEST(`testResults[${index}].${fault}. Nothing was written.`, {
          cause: 'testResults',
        });
    }
  }
}

/** A select of the ids of the newest results of some tests in a run. */
export const newestResults = (q: Query, runId: number, testIds: readonly number[]) =>
  q
    .select({ id: max(results.id).as('id') })
    .from(results)
    .where(and(eq(results.runId, runId), inArray(results.testId, [...testIds])))
    .groupBy(results.testId);

/** The tests whose steps have other results than those that are given: that is news, also where the status stays. */
export async function testsWithNewSteps(
  q: Query,
  runId: number,
  given: readonly GivenSteps[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const news = new Set<number>();
  const withSteps = given.flatMap(({ testId, stepResults }) =>
    stepResults ? [{ testId, stepResults }] : [],
  );
  for await (const part of partsInTurns(withSteps, rowsPerInsert, signal)) {
    const newest = newestResults(
      q,
      runId,
      part.map(({ testId }) => testId),
    );
    const rows = await q
      .select({ testId: results.testId, steps: resultSteps.steps })
      .from(resultSteps)
      .innerJoin(results, eq(results.id, resultSteps.resultId))
      .where(inArray(resultSteps.resultId, newest));
    const known = new Map(rows.map(({ testId, steps }) => [testId, JSON.stringify(steps)]));
    for (const { testId, stepResults } of part)
      if (JSON.stringify(tidySteps(stepResults)) !== (known.get(testId) ?? '[]')) news.add(testId);
  }
  return news;
}

/** Keeps the results of the steps with the results of their tests. */
export async function insertSteps(
  q: Query,
  written: ReadonlyArray<{ readonly id: number; readonly testId: number }>,
  given: ReadonlyMap<number, GivenSteps>,
): Promise<void> {
  const rows = written.flatMap(({ id, testId }) => {
    const steps = given.get(testId)?.stepResults ?? [];
    return steps.length === 0 ? [] : [{ resultId: id, steps: tidySteps(steps) }];
  });
  if (rows.length > 0) await q.insert(resultSteps).values(rows);
}
