import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { milestoneId, planId, projectId, runId } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { runFor } from '../runs/run-store.ts';
import { minutesOf } from '../assignments/assignment-operations.ts';
import { runsOfMilestone, runsOfPlanToCount, workloadOf, type Effort } from './workload-store.ts';

const count = Type.Integer();

const basisRecord = closedObject(
  { durations: count, estimate: count, project: count, none: count },
  {
    description:
      'How many of the tests to do are forecast by the median of their last five durations, by their estimate, by the median of the ' +
      'project, or not at all.',
  },
);

const effortRecord = {
  todo: Type.Integer({ description: 'Untested or to retest, in runs that are not locked.' }),
  done: Type.Integer({ description: 'Passed, failed or blocked.' }),
  leftOpen: Type.Integer({ description: 'Untested or to retest in locked runs.' }),
  minutesLeft: Type.Number(),
  forecastBy: basisRecord,
};

const effortRecordOf = ({ todo, done, leftOpen, seconds, bases }: Effort) => ({
  todo,
  done,
  leftOpen,
  minutesLeft: minutesOf(seconds),
  forecastBy: { ...bases },
});

export const getWorkload = extraOperation({
  name: 'get-workload',
  title: 'Read the workload',
  description:
    'Returns for each person how many tests of a milestone (with its parts), a plan or a run are to do and done, and the minutes left. A ' +
    'test takes the median of its last five durations, else its estimate, else the median of the project; `forecastBy` says which. Give ' +
    'one of milestoneId, planId and runId.',
  input: closedObject({
    projectId,
    milestoneId: Type.Optional(milestoneId),
    planId: Type.Optional(planId),
    runId: Type.Optional(runId),
  }),
  output: closedObject({
    runs: count,
    ...effortRecord,
    projectMedianSeconds: nullable(Type.Number()),
    people: Type.Array(
      closedObject({
        userId: nullable(
          Type.Integer({ description: 'Null: assigned to nobody, or to somebody who has left.' }),
        ),
        name: nullable(Type.String()),
        ...effortRecord,
      }),
    ),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const { projectId: project, milestoneId: milestone, planId: plan, runId: run } = input;
    if ([milestone, plan, run].filter((one) => one !== undefined).length !== 1)
      throw fail.INVALID_REQUEST('Give one of milestoneId, planId and runId.', { cause: 'runId' });
    await projectFor(q, actor, project, 'read');
    const runs =
      run !== undefined
        ? [await runFor(q, actor, { projectId: project, runId: run }, 'read')]
        : milestone !== undefined
          ? await runsOfMilestone(q, project, milestone)
          : await runsOfPlanToCount(q, project, plan ?? 0);
    const { all, people, projectSeconds } = await workloadOf(q, project, runs, signal);
    return {
      runs: runs.length,
      ...effortRecordOf(all),
      projectMedianSeconds: projectSeconds,
      people: people.map(({ userId, name, effort }) => ({ userId, name, ...effortRecordOf(effort) })),
    };
  },
});
