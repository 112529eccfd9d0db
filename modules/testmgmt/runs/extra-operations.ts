import { closed } from '../../../core/schema.ts';
import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { requireDistinct } from '../errors.ts';
import { idList, projectId, runId, testId } from '../parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { deletedRecord, runRecordSchema, testRecord } from '../records.ts';
import { addTests } from './run-case-store.ts';
import { changeRun, countInRun, runFor, runRecord, runToChange } from './run-store.ts';
import { deleteSection, isSectionGone, sectionToChange } from '../sections/section-store.ts';
import { sectionId } from '../sections/section-operations.ts';
import { wholeRecord } from '../cases/case-record.ts';
import { restoreTest } from '../cases/case-write-store.ts';
import { testEverIn } from '../cases/case-store.ts';

/** What the interface specification does not have and people miss: over MCP only when the toolset `extra` is asked for. */
const toolset = 'extra';

export const unlockRun = operation({
  name: 'unlock-run',
  toolset,
  title: 'Unlock a test run',
  description: 'Lets a locked run take changes again. Needs the role admin.',
  input: Type.Object({ runId, projectId }, closed),
  output: runRecordSchema,
  access: member('admin'),
  effect: 'update',
  handler: (input, { actor, db }) =>
    db.tx(async (q) => {
      const run = await runFor(q, actor, input, 'admin');
      if (run.lockedAt === null) return runRecord(run);
      return runRecord(await changeRun(q, run.id, { lockedBy: null, lockedAt: null }));
    }),
});

export const addTestsToRun = operation({
  name: 'add-tests-to-run',
  toolset,
  title: 'Put tests into a run',
  description:
    'Puts tests into a run that is not locked, as untested; those that are in it stay as they are. If one id is faulty, ' +
    'nothing is added.',
  input: Type.Object({ runId, projectId, testIds: idList('From get-tests, each once.') }, closed),
  output: runRecordSchema,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, signal }) => {
    requireDistinct(input.testIds, 'testIds');
    return db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      const added = await addTests(q, run, input.testIds, signal);
      const change = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: added };
      return runRecord(await countInRun(q, run, change));
    });
  },
});

export const restoreTestOperation = operation({
  name: 'restore-test',
  toolset,
  title: 'Restore a deleted test',
  description:
    'Brings a deleted test back as it was; where its section is deleted, without section. One that is not deleted stays.',
  input: Type.Object({ testId, projectId }, closed),
  output: testRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock }) =>
    db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'write');
      const test = await testEverIn(q, input.projectId, input.testId);
      if (test.deletedAt === null) return wholeRecord(q, test);
      const gone = await isSectionGone(q, test.sectionId);
      return wholeRecord(q, await restoreTest(q, test, gone, clock.now()));
    }),
});

export const deleteSectionOperation = operation({
  name: 'delete-section',
  toolset,
  title: 'Delete a section',
  description: 'Deletes a section that has no tests and no subsections.',
  input: Type.Object({ sectionId }, closed),
  output: deletedRecord('sectionId'),
  access: member('write'),
  effect: 'delete',
  handler: (input, { actor, db, clock }) =>
    db.tx(async (q) => {
      const section = await sectionToChange(q, actor, input.sectionId);
      await deleteSection(q, section, clock.now());
      return { sectionId: section.id, deleted: true as const };
    }),
});
