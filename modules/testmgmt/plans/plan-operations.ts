import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, planId, projectId } from '../base/parameters.ts';
import { changesOfAll, unchanged } from '../base/written-changes.ts';
import { configurationsOf } from '../configurations/configuration-store.ts';
import { noteForFollowers } from '../following/run-notice-store.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { runSummaryRecord, runSummaryRecordOf } from '../runs/run-record.ts';
import { planRecord, planRecordOf, planStatus } from './plan-record.ts';
import {
  closePlanRow,
  lockRunsOfPlan,
  pageOfPlans,
  planIn,
  planToChange,
  progressOfPlans,
  runsOfPlan,
} from './plan-store.ts';

export const getPlan = extraOperation({
  name: 'get-plan',
  title: 'Read a plan',
  description: 'Returns a plan with its runs, their configurations and counts by status.',
  input: closedObject({ projectId, planId }),
  output: closedObject({ ...planRecord.properties, runs: Type.Array(runSummaryRecord) }),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db }) =>
    db.reads(async (q) => {
      await projectFor(q, actor, input.projectId, 'read');
      const plan = await planIn(q, input.projectId, input.planId);
      const rows = await runsOfPlan(q, plan.id);
      const configured = await configurationsOf(
        q,
        rows.map(({ id }) => id),
      );
      const progress = (await progressOfPlans(q, [plan.id])).get(plan.id);
      const runs = rows.map((run) => runSummaryRecordOf(run, undefined, configured.get(run.id)));
      return { ...planRecordOf(plan, progress), runs };
    }),
});

export const getPlans = extraOperation({
  name: 'get-plans',
  title: 'List plans',
  description:
    'Lists the plans of a project, newest first, with the counts of their runs; get-plan returns one.',
  input: closedObject({ projectId, status: Type.Optional(planStatus), ...listPaging }),
  output: page('plans', planRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db }) =>
    db.reads(async (q) => {
      await projectFor(q, actor, input.projectId, 'read');
      const { limit, offset } = listPageOf(input);
      const { total, rows } = await pageOfPlans(q, input.projectId, input.status, { limit, offset });
      const progress = await progressOfPlans(
        q,
        rows.map(({ id }) => id),
      );
      return { total, limit, offset, plans: rows.map((plan) => planRecordOf(plan, progress.get(plan.id))) };
    }),
});

export const closePlan = extraOperation({
  name: 'close-plan',
  title: 'Close a plan',
  description:
    'Closes a plan and locks its runs: their results are final. `untested` says how many tests were left. An administrator can unlock a run.',
  input: closedObject({ projectId, planId }),
  output: closedObject({
    ...planRecord.properties,
    lockedRuns: Type.Integer({ description: 'That were not locked before.' }),
    untested: Type.Integer({ description: 'Untested or to retest.' }),
  }),
  access: member('write'),
  effect: 'update',
  confirm: 'Its runs take no results any more.',
  handler: (input, { actor, db, clock, config, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const row = await planToChange(q, input.projectId, input.planId);
      const isOpen = row.closedAt === null;
      const author = { by: actor.userId, now: clock.now() };
      const plan = isOpen ? await closePlanRow(q, row, author) : row;
      // Also of a closed plan: an administrator may have unlocked a run since.
      const runIds = await lockRunsOfPlan(q, plan, author);
      const locked = runIds.length;
      await noteForFollowers(q, { config, clock }, { projectId: row.projectId, runIds });
      const done = { ...(isOpen ? { status: 'closed' } : {}), lockedRuns: locked };
      wrote({
        projectId: row.projectId,
        changes: isOpen || locked > 0 ? changesOfAll(1, done) : unchanged,
      });
      const record = planRecordOf(plan, (await progressOfPlans(q, [plan.id])).get(plan.id));
      return { ...record, lockedRuns: locked, untested: record.counts.untested + record.counts.retest };
    }),
});
