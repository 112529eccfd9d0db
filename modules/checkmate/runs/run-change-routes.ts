import { answered, answeredCreated, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import {
  clearableReader,
  idReader,
  list,
  nameReader,
  oneOf,
  optionalReader,
  present,
  textReader,
  idOrNone,
} from '../wire/request-field.ts';
import { rowsOf } from '../wire/row-page.ts';
import { fail } from '../base/errors.ts';
import { requireProjectAdministrator } from '../organizations/administrator-check.ts';
import { queryOfFilters } from '../words/filter-query.ts';
import { runNamed, runTestsOf, type NamedRun } from './run-reading.ts';

const ids = optionalReader(list(idReader, 150));
const runOf = { runId: idReader, projectId: optionalReader(idReader) };

/** Results of one call of run-update-test-status. */
const resultsPerCall = 5_000;

/** Checkmate sets only what passed back to "retest". @returns the tests that were. */
async function resetPassed(work: Work, named: NamedRun): Promise<readonly number[]> {
  const { rows } = await rowsOf(runTestsOf(work, named, 'status:passed'), { limit: 100_000, offset: 0 });
  const testIds = rows.flatMap(({ testId }) => testId ?? []);
  for (let at = 0; at < testIds.length; at += resultsPerCall) {
    const part = testIds.slice(at, at + resultsPerCall);
    const testResults = part.map((testId) => ({ testId, status: 'retest' as const }));
    await work.call('run-update-test-status', { ...named, testResults });
  }
  return testIds;
}

/** A run of a project whose administrator asks. @throws Fault RUN_NOT_FOUND, FORBIDDEN. */
async function runOfAdministrator(work: Work, given: Parameters<typeof runNamed>[1]): Promise<NamedRun> {
  const named = await runNamed(work, given);
  await requireProjectAdministrator(work, named.projectId);
  return named;
}

/** Ids that a warning names. */
const namedInWarning = 20;

async function testsInRun(work: Work, named: NamedRun): Promise<ReadonlySet<number>> {
  const { rows } = await rowsOf(runTestsOf(work, named, undefined), { limit: 100_000, offset: 0 });
  return new Set(rows.flatMap(({ testId }) => testId ?? []));
}

export const runChangeRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'run/create',
    verb: 'write',
    isLarge: true,
    input: {
      projectId: idReader,
      runName: nameReader,
      runDescription: optionalReader(textReader),
      testIds: optionalReader(list(idReader)),
      labelIds: ids,
      squadIds: optionalReader(list(idOrNone, 150)),
      sectionIds: ids,
      platformIds: ids,
      priorityIds: ids,
      filterType: optionalReader(oneOf(['and', 'or'])),
    },
    answer: async ({ projectId, runName, runDescription, testIds, ...filters }, work) => {
      const named = { projectId, runName, ...present({ runDescription }) };
      // Without filters Checkmate takes every test.
      const query = queryOfFilters(filters);
      if (testIds !== undefined && query !== undefined)
        work.warn('The run has the tests of testIds: the filters were not used.');
      const run =
        testIds === undefined
          ? (await work.call('create-run-from-query', { ...named, query: query ?? 'id:>=1' })).run
          : await work.call('create-run', { ...named, testIds: [...testIds] });
      if (!run) throw new Error('a run that was not created');
      const testsAdded = run.counts.total;
      return answered({
        runName: run.runName,
        runId: run.runId,
        testsAdded,
        message: `Added ${testsAdded} tests to run ${run.runName}`,
      });
    },
  }),
  route({
    path: 'run/edit',
    verb: 'write',
    input: { ...runOf, runName: optionalReader(nameReader), runDescription: clearableReader(textReader) },
    answer: async ({ runName, runDescription, ...input }, work) => {
      const named = await runNamed(work, input);
      await work.call('edit-run', { ...named, ...present({ runName, runDescription }) });
      return answeredCreated({ success: true, message: 'Run updated successfully' });
    },
  }),
  route({
    path: 'run/lock',
    verb: 'write',
    input: runOf,
    statuses: { CHECKMATE_LOCKED: 200, RUN_NOT_FOUND: 200 },
    answer: async (input, work) => {
      const named = await runOfAdministrator(work, input);
      if ((await work.call('run-detail', named)).status === 'locked')
        throw fail.CHECKMATE_LOCKED(`Run is already locked: run ${named.runId}.`);
      await work.call('run-lock', named);
      return answered({ success: true, message: 'Run Locked Successfully' });
    },
  }),
  route({
    path: 'run/reset',
    verb: 'write',
    input: runOf,
    answer: async (input, work) => {
      const named = await runOfAdministrator(work, input);
      const run = await work.call('run-detail', named);
      if (run.status === 'locked')
        throw fail.CHECKMATE_LOCKED(`Run is not active: run ${named.runId} is locked.`);
      const testIds = await resetPassed(work, named);
      return answered({
        count: testIds.length,
        message: `${testIds.length} test(s) marked as Retest`,
        testIds,
      });
    },
  }),
  route({
    path: 'run/remove-tests',
    verb: 'write',
    isLarge: true,
    input: { ...runOf, testIds: list(idReader) },
    answer: async ({ testIds, ...input }, work) => {
      const named = await runOfAdministrator(work, input);
      const there = await testsInRun(work, named);
      const [inRun, others] = [testIds.filter((id) => there.has(id)), testIds.filter((id) => !there.has(id))];
      // With none of them in the run the operation says so.
      const removed = inRun.length === 0 ? [...testIds] : inRun;
      await work.call('run-remove-tests', { ...named, testIds: removed });
      if (others.length === 0) return answered({ success: true, message: 'Tests removed successfully' });
      work.warn(
        `Not in run ${named.runId}: ${others.slice(0, namedInWarning).join(', ')}${others.length > namedInWarning ? ', …' : ''}.`,
      );
      return answeredCreated({ success: false, message: 'Some Tests not deleted' });
    },
  }),
  route({
    path: 'run/delete',
    verb: 'write',
    input: runOf,
    statuses: { RUN_NOT_FOUND: 400 },
    answer: async (input, work) => {
      await work.call('delete-run', await runOfAdministrator(work, input));
      return answered({ message: 'Run deleted successfully' });
    },
  }),
];
