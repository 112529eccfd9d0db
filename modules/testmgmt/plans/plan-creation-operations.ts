import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { assigneeList } from '../assignments/assignment-operations.ts';
import { assign } from '../assignments/assignment-store.ts';
import { shareRules } from '../assignments/work-share.ts';
import { dayParameter } from '../base/day.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, idList, longText, milestoneId, nameText, projectId, queryText } from '../base/parameters.ts';
import { changesOfAll } from '../base/written-changes.ts';
import { runConfigurationsRecord } from '../configurations/configuration-record.ts';
import { addConfigurations, configurationGroupsOf } from '../configurations/configuration-store.ts';
import { requireOpenMilestone } from '../milestones/milestone-store.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { insertRun, newRun } from '../runs/run-store.ts';
import { combinationsOf } from './plan-combinations.ts';
import { chosenEntries, maxEntries, plannedRuns, type PlannedRun } from './plan-entries.ts';
import { planRecord, planRecordOf } from './plan-record.ts';
import { insertPlan, maxPlanRuns, progressOfPlans, type Plan } from './plan-store.ts';

const entry = closedObject({
  runName: Type.Optional(nameText('The name of its runs; else that of the plan.')),
  query: Type.Optional(queryText()),
  testIds: Type.Optional(idList('From get-tests, each once.')),
  configurations: Type.Optional(
    Type.Union(
      [
        words(['all', 'pairwise'], { description: 'All combinations, or few that contain every pair.' }),
        Type.Array(Type.Array(recordId('A value.'), { minItems: 1, maxItems: 50 }), {
          minItems: 1,
          maxItems: maxPlanRuns,
        }),
      ],
      { description: '"all", "pairwise", or for each run a list of valueIds of get-configuration-groups.' },
    ),
  ),
  groupIds: Type.Optional(
    Type.Array(recordId('From get-configuration-groups.'), {
      minItems: 1,
      maxItems: 50,
      description: 'For "all" and "pairwise": only these groups.',
    }),
  ),
  assignTo: Type.Optional(assigneeList('Who runs the tests of each run.')),
  by: Type.Optional(words(shareRules, { description: 'What is equal for each; even by default.' })),
});

export const createPlan = extraOperation({
  name: 'create-plan',
  title: 'Create a plan',
  description:
    `Creates a plan with one run for each entry and combination of configurations, at most ${maxPlanRuns}, all or none, and assigns ` +
    'their tests. With `dryRun` it only lists the runs.',
  input: closedObject({
    projectId,
    name: nameText('What people call it.'),
    description: Type.Optional(longText('What it is for.')),
    milestoneId: Type.Optional(milestoneId),
    dueOn: Type.Optional(dayParameter('The last day of its runs')),
    entries: Type.Array(entry, { minItems: 1, maxItems: maxEntries, description: 'Which tests, where.' }),
    dryRun,
  }),
  output: closedObject({
    dryRun: Type.Boolean(),
    plan: Type.Optional(planRecord),
    tests: Type.Integer({ description: 'In all runs together.' }),
    runs: Type.Array(
      closedObject({
        runId: nullable(Type.Integer()),
        runName: Type.String(),
        tests: Type.Integer(),
        configurations: runConfigurationsRecord,
      }),
    ),
  }),
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, signal, wrote }) => {
    const { projectId: project, dryRun: dry = false } = input;
    await projectFor(db.q, actor, project, 'write');
    const now = clock.now();
    const chosen = await chosenEntries(db.q, actor, input.entries, { projectId: project, now, signal });
    return db.tx(async (q) => {
      await projectToChange(q, actor, project);
      await requireOpenMilestone(q, project, input.milestoneId);
      const groups = await configurationGroupsOf(q, project);
      const combined = [];
      for (const one of chosen)
        combined.push({ entry: one, combinations: await combinationsOf(one.given, groups, signal) });
      const planned = plannedRuns(input.name, combined);
      const tests = planned.reduce((sum, run) => sum + run.entry.testIds.length, 0);
      // A run is checked as it will be stored, also by a trial.
      newRun({ ...input, runName: input.name }, actor.userId, now);
      if (dry) return { dryRun: dry, tests, runs: planned.map((run) => runOf(run, null)) };
      const author = { by: actor.userId, now };
      const row = {
        projectId: project,
        name: input.name.trim(),
        description: input.description?.trim() ?? '',
        milestoneId: input.milestoneId ?? null,
      };
      const plan = await insertPlan(q, row, author);
      const runs = [];
      for (const run of planned)
        runs.push(runOf(run, await storeRun(q, plan, run, { ...author, signal }, input.dueOn)));
      wrote({ projectId: project, changes: changesOfAll(runs.length, { name: plan.name }) });
      const progress = (await progressOfPlans(q, [plan.id])).get(plan.id);
      return { dryRun: dry, plan: planRecordOf(plan, progress), tests, runs };
    });
  },
});

const runOf = ({ runName, entry: { testIds }, combination }: PlannedRun, runId: number | null) => ({
  runId,
  runName,
  tests: testIds.length,
  configurations: [...combination],
});

async function storeRun(
  q: Query,
  plan: Plan,
  { runName, entry: { testIds, shares }, combination }: PlannedRun,
  { by, now, signal }: { readonly by: number; readonly now: number; readonly signal: AbortSignal },
  dueOn: string | undefined,
): Promise<number> {
  const row = newRun(
    { projectId: plan.projectId, runName, ...(dueOn === undefined ? {} : { dueOn }) },
    by,
    now,
  );
  const placed = { ...row, planId: plan.id, milestoneId: plan.milestoneId };
  const { id } = await insertRun(q, placed, testIds, signal);
  await addConfigurations(
    q,
    combination.map(({ valueId }) => ({ runId: id, valueId })),
  );
  if (shares) await assign(q, id, shares, signal);
  return id;
}
