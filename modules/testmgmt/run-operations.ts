import { Type } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { operation } from '../../core/operation.ts';
import { recordId } from '../../core/schema.ts';
import { commentText, idList, longText, nameText, projectId, runId } from './parameters.ts';
import { projectFor } from './projects.ts';
import { runRecordSchema, statusWord } from './records.ts';
import { insertRun, recordResults, requireDistinct, requireUnlocked, runFor, runRecord } from './runs.ts';

const toolset = 'testmgmt';
const closed = { additionalProperties: false } as const;

export const createRun = operation({
  name: 'create-run',
  toolset,
  title: 'Create a test run',
  description:
    'Creates a run of exactly the given tests of a project, at most 100,000; each starts as untested. If one id is ' +
    'unknown, deleted or of another project, nothing is created. Report results with run-update-test-status.',
  input: Type.Object(
    {
      projectId,
      runName: nameText('What people call the run.'),
      runDescription: Type.Optional(longText('What the run is for.')),
      testIds: idList('The tests of the run, each once; get-tests lists them.'),
    },
    closed,
  ),
  output: runRecordSchema,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock }) => {
    requireDistinct(input.testIds, 'testIds');
    return db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'write');
      const row = {
        projectId: input.projectId,
        name: input.runName.trim(),
        description: input.runDescription?.trim() ?? '',
        createdBy: actor.userId,
        createdAt: clock.now(),
      };
      return runRecord(q, await insertRun(q, row, input.testIds));
    });
  },
});

export const runDetail = operation({
  name: 'run-detail',
  toolset,
  title: 'Read a test run',
  description:
    'Answers one run with how many of its tests have which status. get-run-tests-list names the tests.',
  input: Type.Object({ runId, projectId }, closed),
  output: runRecordSchema,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    await projectFor(db.q, actor, input.projectId, 'read');
    return runRecord(db.q, await runFor(db.q, input.projectId, input.runId));
  },
});

export const runUpdateTestStatus = operation({
  name: 'run-update-test-status',
  toolset,
  title: 'Report test results',
  description:
    'Sets the status of tests in a run, at most 5,000 at once, each with an optional comment; every change stays in the ' +
    "test's history. If one test is not of the run, nothing is changed. A result without comment keeps the last comment.",
  input: Type.Object(
    {
      runId,
      projectId,
      testResults: Type.Array(
        Type.Object(
          {
            testId: recordId('A test of the run.'),
            status: statusWord,
            comment: Type.Optional(commentText),
          },
          closed,
        ),
        { minItems: 1, maxItems: 5_000, description: 'The results, one per test.' },
      ),
    },
    closed,
  ),
  output: runRecordSchema,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock }) => {
    const ids = input.testResults.map(({ testId }) => testId);
    requireDistinct(ids, 'testResults');
    return db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'write');
      const run = await runFor(q, input.projectId, input.runId);
      requireUnlocked(run);
      await recordResults(q, run.id, input.testResults, { by: actor.userId, now: clock.now() });
      return runRecord(q, run);
    });
  },
});
