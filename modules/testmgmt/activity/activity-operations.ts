import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { pageOf, paging } from '../../../core/tools/page.ts';
import { pageOfWrites, wasEverMember, type WantedWrites } from '../../auth/index.ts';
import { testById, testEverIn, testNotFound } from '../cases/case-store.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId, runId, testId } from '../base/parameters.ts';
import { membershipsOf, projectFor, visibleProject } from '../projects/project-store.ts';
import { timeForms, timeSpan } from '../query/field-kinds/query-time.ts';
import { runNotFound } from '../runs/run-store.ts';
import { activityRecord, activityRecordOf } from './activity-record.ts';
import { projectIdsOf, projectOfRun } from './activity-store.ts';

interface About {
  readonly projectId?: number;
  readonly testId?: number;
  readonly runId?: number;
  readonly userId?: number;
}

export const listActivity = extraOperation({
  name: 'list-activity',
  title: 'List who changed what',
  description:
    'Lists the writes in projects, newest first: who, by which credential and surface, which tool, ids, and what changed (old and ' +
    'new value for one record, counts for many). With `testId` the changes of that test; get-test-status-history has its results.',
  input: closedObject({
    projectId: Type.Optional(projectId),
    testId: Type.Optional(testId),
    runId: Type.Optional(runId),
    userId: Type.Optional(recordId('From get-all-users.')),
    since: Type.Optional(
      Type.String({ maxLength: 40, description: 'A time as in queries: 2026-11-01, 7d.' }),
    ),
    ...paging,
  }),
  output: closedObject({
    limit: Type.Integer(),
    offset: Type.Integer(),
    nextOffset: Type.Optional(Type.Integer()),
    activities: Type.Array(activityRecord),
  }),
  access: member('read'),
  effect: 'read',
  handler: async ({ since, ...input }, { actor, db: { q }, clock, signal }) => {
    const { limit, offset } = pageOf(input);
    const wanted = {
      ...(await wantedBy(q, actor, input)),
      ...(since === undefined ? {} : { since: timeOf(since, clock.now()) }),
    };
    const { rows, more } = await pageOfWrites(q, wanted, { limit, offset }, signal);
    const activities = rows.map(activityRecordOf);
    return { limit, offset, ...(more ? { nextOffset: offset + rows.length } : {}), activities };
  },
});

/** @throws Fault INVALID_REQUEST. */
function timeOf(text: string, now: number): number {
  const span = timeSpan(text, now);
  if (!span) throw fail.INVALID_REQUEST('since is no time.', { cause: 'since', tip: `Write ${timeForms}.` });
  return span.from;
}

/**
 * The requested writes that the caller may see. An unknown name is an error: a search for it would find nothing without saying why.
 * @throws Fault PROJECT_NOT_FOUND, TEST_NOT_FOUND, RUN_NOT_FOUND, USER_NOT_FOUND, NOT_IN_PROJECT.
 */
async function wantedBy(q: Query, actor: Actor, about: About): Promise<WantedWrites> {
  const { testId: test, runId: run, userId } = about;
  const projectId = about.projectId ?? actor.projectId;
  if (projectId !== undefined) await projectFor(q, actor, projectId, 'read');
  const ofTest = test === undefined ? undefined : await projectOfTest(q, actor, test, projectId);
  const ofRun = run === undefined ? undefined : await visibleRun(q, actor, run);
  const project = projectId ?? ofTest ?? ofRun;
  if (run !== undefined && ofRun !== project)
    throw fail.NOT_IN_PROJECT(`Run ${run} is of project ${ofRun}, not of project ${project}.`, {
      cause: 'runId',
      tip: 'Use get-runs to see the runs of this project.',
    });
  const orgIds = [...(await membershipsOf(q, actor)).keys()];
  if (userId !== undefined && userId !== actor.userId && !(await wasEverMember(q, orgIds, userId)))
    throw fail.USER_NOT_FOUND(`There is no user ${userId} in your organizations.`);
  return {
    projectIds: project === undefined ? await projectIdsOf(q, orgIds) : [project],
    ...(test === undefined ? {} : { record: { kind: 'test', id: test } }),
    ...(run === undefined ? {} : { runId: run }),
    ...(userId === undefined ? {} : { userId }),
  };
}

/** The project of a test, deleted or not. */
async function projectOfTest(q: Query, actor: Actor, id: number, within: number | undefined) {
  if (within !== undefined) return (await testEverIn(q, actor, within, id)).projectId;
  const [test] = await testById(q, { id });
  if (!test || !(await visibleProject(q, actor, test.projectId, 'read'))) throw testNotFound(id);
  return test.projectId;
}

async function visibleRun(q: Query, actor: Actor, id: number): Promise<number> {
  const project = await projectOfRun(q, id);
  if (project === undefined || !(await visibleProject(q, actor, project, 'read'))) throw runNotFound(id);
  return project;
}
