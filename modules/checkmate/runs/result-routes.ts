import { Fault } from '../../../core/base/errors.ts';
import { fail } from '../base/errors.ts';
import { answered, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { idReader, item, list, optionalReader, textReader } from '../wire/request-field.ts';
import { runNamed, runTestsOf, type NamedRun } from './run-reading.ts';
import { chosenResults, type FailedResult, type NewResult } from './result-choice.ts';

/** Results of one request, as in run-update-test-status. */
const mostResults = 5_000;
/** Tests that one query can name. */
const namedAtOnce = 110;

/** The tests of these that are in the run. */
async function testsInRun(
  work: Work,
  named: NamedRun,
  testIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (let at = 0; at < testIds.length; at += namedAtOnce) {
    const query = `id:${testIds.slice(at, at + namedAtOnce).join(',')}`;
    const { rows } = await runTestsOf(work, named, query)({ limit: namedAtOnce, offset: 0 });
    for (const { testId } of rows) if (testId !== undefined) found.add(testId);
  }
  return found;
}

/** Reports results. Trivet takes all or none: if some tests are not in the run, the others are reported without them. */
async function report(
  work: Work,
  named: NamedRun,
  results: readonly NewResult[],
): Promise<readonly FailedResult[]> {
  try {
    await work.call('run-update-test-status', { ...named, testResults: [...results] });
    return [];
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'NOT_IN_RUN')) throw error;
    const testIds = results.map(({ testId }) => testId);
    const inRun = await testsInRun(work, named, testIds);
    const others = results.filter(({ testId }) => inRun.has(testId));
    if (others.length === results.length) throw error;
    if (others.length > 0) await work.call('run-update-test-status', { ...named, testResults: others });
    return testIds
      .filter((testId) => !inRun.has(testId))
      .map((testId) => ({ id: testId, message: `Test ${testId} is not in run ${named.runId}.` }));
  }
}

export const resultRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'run/update-test-status',
    verb: 'write',
    isLarge: true,
    input: {
      runId: idReader,
      projectId: optionalReader(idReader),
      testIdStatusArray: list(
        item({
          testId: optionalReader(idReader),
          status: optionalReader(textReader),
          comment: optionalReader(textReader),
        }),
        mostResults,
      ),
      comment: optionalReader(textReader),
    },
    statuses: { RUN_NOT_FOUND: 400 },
    answer: async ({ runId, projectId, testIdStatusArray, comment }, work) => {
      const named = await runNamed(work, { runId, projectId });
      // Also if every result is refused: whoever may not write learns that first.
      const { results, failed, warnings } = chosenResults(testIdStatusArray, comment);
      for (const warning of warnings) work.warn(warning);
      if (results.length === 0)
        throw fail.INVALID_REQUEST(
          `Data validation error: no result was reported: ${failed[0]?.message ?? 'testIdStatusArray is empty.'}`,
          { tip: 'Send testIdStatusArray: [{testId, status, comment?}].' },
        );
      const others = await report(work, named, results);
      const [reported, all] = [results.length - others.length, [...failed, ...others]];
      return answered({
        ...(reported > 0 && {
          passed: { message: `${reported} test(s) status updated successfully`, count: reported },
        }),
        ...(all.length > 0 && {
          failed: { message: `${all.length} test(s) not updated`, count: all.length, details: all },
        }),
      });
    },
  }),
];
