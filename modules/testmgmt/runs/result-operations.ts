import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { together } from '../../../core/db/query/db.ts';
import { clearable, closedObject, recordId, words } from '../../../core/base/schema.ts';
import { listFields } from '../../../core/tools/list-fields.ts';
import { page } from '../../../core/tools/page.ts';
import { testEverIn } from '../cases/case-store.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct } from '../base/id-list.ts';
import { operation } from '../base/operation.ts';
import {
  commentText,
  listPageOf,
  listPaging,
  projectId,
  recordsPerCall,
  runId,
  testId,
  fieldValues,
} from '../base/parameters.ts';
import { shownLinks } from '../links/link-store.ts';
import { projectFor, visibleProject } from '../projects/project-store.ts';
import { queryFor } from '../query/query-parameter.ts';
import { askIfGiven } from '../query/query-store.ts';
import { statusCounts, testStatuses } from '../rules/test-status.ts';
import { seenText } from '../base/seen-time.ts';
import { changesByStatus, changesOfAll, unchanged } from '../base/written-changes.ts';
import { pageOfHistory } from './result-history-store.ts';
import { recordResults, resetRun, resultList } from './result-store.ts';
import { isInRun, loadRunTestVersions, pageOfRunTestQuery, pageOfRunTests } from './run-case-store.ts';
import {
  historyRecord,
  stepResultList,
  runRecord,
  runRecordOf,
  runVerdictRecord,
  runTestVersionRecord,
  runTestStatusRecord,
  runTestStatusRecordOf,
  statusWord,
} from './run-record.ts';
import { runSentence } from '../rules/run-sentence.ts';
import { loadStateAndTesters, namedTesters } from './run-state-store.ts';
import { runFor, runNotFound, runOf, runToChange } from './run-store.ts';
import { recordSingleResult } from './single-result-store.ts';

export const runUpdateTestStatus = operation({
  name: 'run-update-test-status',
  title: 'Report test results',
  description:
    'Sets the status of up to 5,000 tests of a run, all or none. Each change is kept in the history; repeating a result ' +
    'changes nothing. Without a comment the last comment stays.',
  input: closedObject({
    runId,
    projectId,
    testResults: Type.Array(
      closedObject({
        testId: recordId('From get-run-tests-list.'),
        status: statusWord,
        comment: Type.Optional(commentText),
        seenAt: Type.Optional(clearable(seenText)),
        stepResults: Type.Optional(stepResultList),
        fields: fieldValues,
      }),
      { ...recordsPerCall, description: 'One per test.' },
    ),
  }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, signal, wrote }) => {
    const ids = input.testResults.map((result) => result.testId);
    requireDistinct(ids, resultList);
    const { projectId: project, runId: run, testResults } = input;
    wrote({ projectId: project, runId: run, changes: changesByStatus(testResults) });
    const [only, ...others] = testResults;
    if (only && others.length === 0 && only.stepResults === undefined && only.fields === undefined) {
      const run = await recordSingleResult(db, actor, input, only, clock.now());
      if (run) return runRecordOf(run);
    }
    return db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const author = { by: actor.userId, now: clock.now(), signal };
      const counted = await recordResults(q, run, input.testResults, author);
      // The same object: nothing changed, so nothing was counted.
      if (counted === run) wrote({ projectId: project, runId: run.id, changes: unchanged });
      return runRecordOf(counted);
    });
  },
});

export const runReset = operation({
  name: 'run-reset',
  title: 'Reset a test run',
  description: 'Sets every test of an unlocked run to retest. Comments and history stay.',
  input: closedObject({ runId, projectId }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  confirm: 'Every result of the run becomes retest; only the history keeps what was.',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const changes = changesOfAll(statusCounts(run).total, { status: 'retest' });
      const reset = await resetRun(q, run, { by: actor.userId, now: clock.now(), signal });
      wrote({ projectId: run.projectId, runId: run.id, changes: reset === run ? unchanged : changes });
      return runRecordOf(reset);
    }),
});

const testFields = listFields(
  runTestVersionRecord,
  [],
  ['testId', 'testName', 'sectionPath', 'status', 'comment'],
);

export const getRunTestsList = operation({
  name: 'get-run-tests-list',
  title: 'List the tests of a run',
  description: 'Lists the tests of a run with their status and last comment.',
  input: closedObject({
    runId,
    projectId,
    query: Type.Optional(queryFor('run-tests', 'status:failed by:me')),
    ...testFields.parameter,
    ...listPaging,
  }),
  output: page('tests', testFields.record),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, query } = input;
      const asked = askIfGiven(query, actor, { scope: 'run-tests', projectId: id, now: clock.now() });
      const { limit, offset } = listPageOf(input);
      const [run, , page] = await together([
        runFor(q, actor, input, 'read'),
        asked?.requireNames(q),
        asked
          ? pageOfRunTestQuery(q, input.runId, asked, { limit, offset, signal })
          : pageOfRunTests(q, input.runId, undefined, { limit, offset }).then((rows) => ({
              rows,
              total: null,
            })),
      ]);
      const total = page.total ?? statusCounts(run).total;
      return { total, limit, offset, tests: await loadRunTestVersions(q, id, page.rows) };
    }),
});

const statusFields = listFields(runTestStatusRecord, [], ['testId', 'testName', 'status', 'comment']);

export const getRunTestStatus = operation({
  name: 'get-run-test-status',
  title: 'List results of a run',
  description: 'Like get-run-tests-list, for one status and with links.',
  input: closedObject({
    runId,
    projectId,
    status: Type.Optional(words(testStatuses, { description: 'Only tests of this status.' })),
    ...statusFields.parameter,
    ...listPaging,
  }),
  output: page('tests', statusFields.record),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const run = await runFor(q, actor, input, 'read');
    const { limit, offset } = listPageOf(input);
    const rows = await pageOfRunTests(q, run.id, input.status, { limit, offset });
    const total = statusCounts(run)[input.status ?? 'total'];
    const testIds = rows.map(({ testId }) => testId);
    const linksOf = await shownLinks(q, run.projectId, testIds, run.id);
    const tests = rows.map((row) => ({ ...runTestStatusRecordOf(row), links: linksOf(row.testId) }));
    return { total, limit, offset, tests };
  },
});

export const getRunStateDetail = operation({
  name: 'get-run-state-detail',
  title: 'Summarize a run',
  description: 'Returns the outcome of a run, its counts by squad and section, and who tested.',
  input: closedObject({ runId, projectId }),
  output: runVerdictRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const { state, testers } = await loadStateAndTesters(q, await runFor(q, actor, input, 'read'), signal);
    return {
      ...state,
      verdict: runSentence(state.counts, state.unmatched?.failed),
      testers: await namedTesters(q, testers),
    };
  },
});

export const getTestStatusHistory = operation({
  name: 'get-test-status-history',
  title: 'Read the results of a test',
  description: 'Lists every result of a test in all runs, newest first.',
  input: closedObject({ testId, projectId, ...listPaging }),
  output: page('history', historyRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const test = await testEverIn(q, actor, input.projectId, input.testId);
    const { limit, offset } = listPageOf(input);
    const { total, history } = await pageOfHistory(q, { testId: test.id }, { limit, offset, signal });
    return { total, limit, offset, history };
  },
});

export const getTestStatusHistoryInRun = operation({
  name: 'get-test-status-history-in-run',
  title: 'Read the results of a test in a run',
  description: 'Lists every result of a test in one run, newest first.',
  input: closedObject({ testId, runId, ...listPaging }),
  output: page('history', historyRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const run = await runOf(q, input.runId);
    if (!run || !(await visibleProject(q, actor, run.projectId, 'read'))) throw runNotFound(input.runId);
    const { limit, offset } = listPageOf(input);
    const of = { testId: input.testId, runId: run.id };
    const { total, history } = await pageOfHistory(q, of, { limit, offset, signal });
    // A test that was removed from the run still has results in it.
    if (total === 0 && !(await isInRun(q, run.id, input.testId))) {
      throw fail.NOT_IN_RUN(`Test ${input.testId} is not in run ${run.id}.`, { cause: 'testId' });
    }
    return { total, limit, offset, history };
  },
});
