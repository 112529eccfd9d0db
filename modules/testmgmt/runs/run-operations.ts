import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { together } from '../../../core/db/query/db.ts';
import { clearable, closedObject } from '../../../core/base/schema.ts';
import { listFields } from '../../../core/tools/list-fields.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { dayOf, dayParameter, storedDay } from '../base/day.ts';
import { deletedRecord } from '../base/deleted-record.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct, testIdList } from '../base/id-list.ts';
import { extraOperation, operation } from '../base/operation.ts';
import { idList, longText, milestoneId, nameText, projectId, runId } from '../base/parameters.ts';
import { configurationsOf } from '../configurations/configuration-store.ts';
import { noteForFollowers } from '../following/run-notice-store.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { queryFor } from '../query/query-parameter.ts';
import { askIfGiven } from '../query/query-store.ts';
import { shift } from '../rules/test-status.ts';
import { changesOf, changesOfAll, changesOfOne, unchanged } from '../base/written-changes.ts';
import { addTests, removeTests } from './run-case-store.ts';
import {
  plannedFields,
  runConfigurationsOf,
  runDetailRecord,
  runRecord,
  runRecordOf,
  runSummaryRecord,
  runSummaryRecordOf,
  unmatchedOf,
} from './run-record.ts';
import { unmatchedCounts, unmatchedCountsOf } from './unmatched-result-store.ts';
import {
  changeRun,
  countInRun,
  deleteRun,
  insertRun,
  newRun,
  pageOfRunQuery,
  pageOfRuns,
  runFor,
  runToChange,
  runEverIn,
  runToHold,
  undeleteRun,
} from './run-store.ts';
import type { Run } from './run-row.ts';

const summaryFields = listFields(
  runSummaryRecord,
  ['milestoneId', 'planId', 'dueOn'],
  ['runId', 'runName', 'status', 'counts', 'unmatched', 'createdAt'],
);

/** Only runs of plans have configurations. */
const idsOfPlans = (rows: readonly Run[]) => rows.flatMap(({ id, planId }) => (planId === null ? [] : [id]));

export const getRuns = operation({
  name: 'get-runs',
  title: 'List test runs',
  description: 'Lists the test runs of a project, newest first, with their counts by status.',
  input: closedObject({
    projectId,
    query: Type.Optional(queryFor('runs', 'status:active progress:<100')),
    ...summaryFields.parameter,
    ...paging,
  }),
  output: page('runs', summaryFields.record),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, query } = input;
      const asked = askIfGiven(query, actor, { scope: 'runs', projectId: id, now: clock.now() });
      const { limit, offset } = pageOf(input);
      const [, , { total, rows }] = await together([
        projectFor(q, actor, id, 'read'),
        asked?.requireNames(q),
        asked
          ? pageOfRunQuery(q, id, asked, { limit, offset, signal })
          : pageOfRuns(q, id, { limit, offset }),
      ]);
      const unmatched = await unmatchedCounts(
        q,
        rows.map((run) => run.id),
      );
      const configured = await configurationsOf(q, idsOfPlans(rows));
      const runs = rows.map((run) => runSummaryRecordOf(run, unmatched.get(run.id), configured.get(run.id)));
      return { total, limit, offset, runs };
    }),
});

export const runDetail = operation({
  name: 'run-detail',
  title: 'Read a test run',
  description: 'Returns one run with the number of its tests by status.',
  input: closedObject({ runId, projectId }),
  output: runDetailRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const [run, unmatched] = await together([
      runFor(q, actor, input, 'read'),
      unmatchedCountsOf(q, input.runId),
    ]);
    const configured = (await configurationsOf(q, idsOfPlans([run]))).get(run.id);
    return { ...runRecordOf(run), ...runConfigurationsOf(configured), ...unmatchedOf(unmatched) };
  },
});

export const createRun = operation({
  name: 'create-run',
  title: 'Create a test run',
  description:
    'Creates a run of exactly the given tests, each untested, all or none. Report results with ' +
    'run-update-test-status.',
  input: closedObject({
    projectId,
    runName: nameText('What people call it.'),
    runDescription: Type.Optional(longText('What it is for.')),
    ...plannedFields,
    testIds: idList('From get-tests, each once.'),
  }),
  output: runRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, signal, wrote }) => {
    requireDistinct(input.testIds, testIdList);
    return db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const row = newRun(input, actor.userId, clock.now());
      const run = await insertRun(q, row, input.testIds, signal);
      const changes = changesOfAll(input.testIds.length, { runName: run.name });
      wrote({ projectId: run.projectId, runId: run.id, changes });
      return runRecordOf(run);
    });
  },
});

export const editRun = operation({
  name: 'edit-run',
  title: 'Edit a test run',
  description: 'Changes the given fields of an unlocked run; null clears one.',
  input: closedObject({
    runId,
    projectId,
    runName: Type.Optional(nameText('The new name.')),
    runDescription: Type.Optional(clearable(longText('The new description.'))),
    milestoneId: Type.Optional(clearable(milestoneId)),
    dueOn: Type.Optional(clearable(dayParameter('The last day'))),
  }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const { runName, runDescription, milestoneId: milestone } = input;
      const dueOn = storedDay(input.dueOn, 'dueOn');
      const changes = {
        ...(runName === undefined ? {} : { name: runName.trim() }),
        ...(runDescription === undefined ? {} : { description: runDescription?.trim() ?? '' }),
        ...(milestone === undefined ? {} : { milestoneId: milestone }),
        ...(dueOn === undefined ? {} : { dueOn }),
      };
      if (Object.keys(changes).length === 0) {
        throw fail.NOTHING_TO_UPDATE('No field of the run is given.', {
          tip: 'Give edit-run a runName, runDescription, milestoneId or dueOn.',
        });
      }
      if (milestone !== run.milestoneId) await requireOpenMilestone(q, run.projectId, milestone);
      const changed = await changeRun(q, run.id, changes, { by: actor.userId, now: clock.now() });
      const valuesOf = (one: Run) => ({
        runName: one.name,
        runDescription: one.description,
        milestoneId: one.milestoneId,
        dueOn: dayOf(one.dueOn),
      });
      const compared = changesOfOne(valuesOf(run), valuesOf(changed));
      wrote({ projectId: run.projectId, runId: run.id, changes: compared });
      return runRecordOf(changed);
    }),
});

export const deleteRunOperation = operation({
  name: 'delete-run',
  title: 'Delete a test run',
  description: 'Deletes an unlocked run with its results.',
  input: closedObject({ runId, projectId }),
  output: deletedRecord('runId'),
  access: member('write'),
  effect: 'delete',
  confirm: 'restore-run brings it back.',
  handler: (input, { actor, db, clock }) =>
    db.tx(async (q) => {
      const run = await runToChange(q, actor, input, { counts: true });
      await deleteRun(q, run, { by: actor.userId, now: clock.now() });
      return { runId: run.id, deleted: true as const };
    }),
});

export const restoreRun = extraOperation({
  name: 'restore-run',
  title: 'Restore a deleted test run',
  description:
    'Brings a deleted run back with its results; delete-run answers its id, and so does list-activity. A run that is not deleted stays ' +
    'unchanged. If a pipeline has made a new run with its key meanwhile, later uploads go there.',
  input: closedObject({ runId, projectId }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  additive: true,
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const run = await runEverIn(q, input);
      if (run.deletedAt === null) {
        wrote({ projectId: run.projectId, runId: run.id, changes: unchanged });
        return runRecordOf(run);
      }
      const restored = await undeleteRun(q, run, { by: actor.userId, now: clock.now() });
      const changes = changesOfOne({ deleted: 'yes' }, { deleted: 'no' });
      wrote({ projectId: run.projectId, runId: run.id, changes });
      return runRecordOf(restored);
    }),
});

export const runLock = operation({
  name: 'run-lock',
  title: 'Lock a test run',
  description: 'Locks a run: every later change is refused. Who may write may lock it.',
  input: closedObject({ runId, projectId }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, config, wrote }) =>
    db.tx(async (q) => {
      const run = await runToHold(q, actor, input);
      if (run.lockedAt !== null) {
        wrote({ projectId: run.projectId, runId: run.id, changes: unchanged });
        return runRecordOf(run);
      }
      const changes = changesOfOne({ status: 'active' }, { status: 'locked' });
      wrote({ projectId: run.projectId, runId: run.id, changes });
      const author = { by: actor.userId, now: clock.now() };
      const locked = { lockedBy: author.by, lockedAt: author.now };
      await noteForFollowers(q, { config, clock }, { projectId: run.projectId, runIds: [run.id] });
      return runRecordOf(await changeRun(q, run.id, locked, author));
    }),
});

export const runRemoveTests = operation({
  name: 'run-remove-tests',
  title: 'Remove tests from a run',
  description: 'Removes tests from an unlocked run, all or none. Their history stays.',
  input: closedObject({ runId, projectId, testIds: idList('From get-run-tests-list, each once.') }),
  output: runRecord,
  access: member('write'),
  effect: 'delete',
  confirm: 'Their results in this run are gone with them; only the history keeps what was.',
  handler: (input, { actor, db, clock, signal, wrote }) => {
    requireDistinct(input.testIds, testIdList);
    return db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const removed = await removeTests(q, run.id, input.testIds, signal);
      wrote({ projectId: run.projectId, runId: run.id, changes: changesOf(removed.length) });
      const author = { by: actor.userId, now: clock.now(), changed: removed.length, ofOtherTests: true };
      return runRecordOf(await countInRun(q, run, shift(removed, []), author));
    });
  },
});

export const unlockRun = extraOperation({
  name: 'unlock-run',
  title: 'Unlock a test run',
  description: 'Unlocks a run, so that it can be changed again. Requires the role admin.',
  input: closedObject({ runId, projectId }),
  output: runRecord,
  access: member('admin'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      const run = await runToHold(q, actor, input, { right: 'admin' });
      if (run.lockedAt === null) {
        wrote({ projectId: run.projectId, runId: run.id, changes: unchanged });
        return runRecordOf(run);
      }
      const changes = changesOfOne({ status: 'locked' }, { status: 'active' });
      wrote({ projectId: run.projectId, runId: run.id, changes });
      const unlocked = { lockedBy: null, lockedAt: null };
      const author = { by: actor.userId, now: clock.now() };
      return runRecordOf(await changeRun(q, run.id, unlocked, author));
    }),
});

export const addTestsToRun = extraOperation({
  name: 'add-tests-to-run',
  title: 'Add tests to a run',
  description:
    'Adds tests to an unlocked run as untested, all or none. Tests that are in the run already stay unchanged.',
  input: closedObject({ runId, projectId, testIds: idList('From get-tests, each once.') }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  additive: true,
  handler: (input, { actor, db, clock, signal, wrote }) => {
    requireDistinct(input.testIds, testIdList);
    return db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const added = await addTests(q, run, input.testIds, signal);
      wrote({ projectId: run.projectId, runId: run.id, changes: added === 0 ? unchanged : changesOf(added) });
      const change = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: added };
      const author = { by: actor.userId, now: clock.now(), changed: added, ofOtherTests: true };
      return runRecordOf(await countInRun(q, run, change, author));
    });
  },
});
