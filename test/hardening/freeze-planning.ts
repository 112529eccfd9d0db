import type { Served } from '../served.ts';
import { long, range, type World, type Worst } from './freeze-world.ts';

/* The worst input of each tool of planning: the run with all tests, and long texts. */

/** A body with more numbers in one item is refused. */
const chunksOf = (ids: readonly number[]) =>
  range(Math.ceil(ids.length / 25_000), (n) => ids.slice(n * 25_000, (n + 1) * 25_000));

/** All tests of the world in new runs of a plan. */
let planId = 0;
const sparePlan = async (served: Served, { projectId, testIds }: World, n: number) => {
  const entries = chunksOf(testIds).map((chunk) => ({ testIds: chunk }));
  const made = await served.must('create-plan', { projectId, name: `spare ${n}`, entries });
  planId = (made['plan'] as { planId: number }).planId;
};
let groupId = 0;
const spareGroup = async (served: Served, { projectId }: World, n: number) => {
  const name = `${n} ${crypto.randomUUID()}`;
  const made = await served.must('create-configuration-group', { projectId, name, values: values(n) });
  groupId = Number(made['groupId']);
};
const deleteGroup = (served: Served, { projectId }: World) =>
  served.tool('delete-configuration-group', { projectId, groupId });
const values = (n: number) => range(100, (m) => `${n} ${m}`);

let milestoneId = 0;
const spareMilestone = async (served: Served, { projectId, runId }: World, n: number) => {
  const made = await served.must('create-milestone', {
    projectId,
    name: `spare ${n} ${crypto.randomUUID()}`,
  });
  milestoneId = Number(made['milestoneId']);
  await served.must('edit-run', { projectId, runId, milestoneId });
};

const options = (n: number) => range(200, (m) => `${n} ${m} ${'o'.repeat(180)}`);
const field = { key: 'spare', name: 'Spare', kind: 'choices' };
const spareField = async (served: Served, { projectId }: World, n: number) => {
  await served.tool('delete-field', { projectId, key: field.key });
  await served.must('create-field', { projectId, ...field, options: options(n) });
};

export const worstPlanning = {
  'create-field': {
    args: ({ projectId }: World, n: number) => ({ projectId, ...field, options: options(n) }),
    before: (served: Served, { projectId }: World) =>
      served.tool('delete-field', { projectId, key: field.key }),
  },
  'edit-field': {
    args: ({ projectId }: World, n: number) => ({ projectId, key: field.key, options: options(1_000 + n) }),
    before: spareField,
  },
  'delete-field': { args: ({ projectId }: World) => ({ projectId, key: field.key }), before: spareField },
  'list-fields': { args: ({ projectId }: World) => ({ projectId, limit: 500 }), before: spareField },
  'create-milestone': {
    args: ({ projectId }: World, n: number) => ({ projectId, name: `m${n}`, description: long }),
  },
  'edit-milestone': {
    args: ({ projectId }: World, n: number) => ({ projectId, milestoneId, description: `${n}${long}` }),
    before: spareMilestone,
  },
  'close-milestone': {
    args: ({ projectId }: World) => ({ projectId, milestoneId }),
    before: spareMilestone,
  },
  'delete-milestone': {
    args: ({ projectId }: World) => ({ projectId, milestoneId }),
    before: spareMilestone,
  },
  'assign-tests': {
    args: ({ projectId, runId, userId }: World, n: number) => ({
      projectId,
      runId,
      query: '',
      assignTo: n % 2 === 1 ? null : [userId],
      by: 'estimate',
    }),
  },
  'get-workload': { args: ({ projectId, runId }: World) => ({ projectId, runId }) },
  'create-configuration-group': {
    args: ({ projectId }: World, n: number) => ({ projectId, name: `g${n}`, values: values(n) }),
    before: deleteGroup,
  },
  'edit-configuration-group': {
    args: ({ projectId }: World, n: number) => ({
      projectId,
      groupId,
      values: values(1_000 + n).map((name) => ({ name })),
    }),
    before: async (served: Served, world: World, n: number) => {
      await deleteGroup(served, world);
      await spareGroup(served, world, n);
    },
  },
  'delete-configuration-group': {
    args: ({ projectId }: World) => ({ projectId, groupId }),
    before: spareGroup,
  },
  'get-configuration-groups': { args: ({ projectId }: World) => ({ projectId, limit: 500 }) },
  'create-plan': {
    args: ({ projectId, testIds, userId }: World, n: number) => ({
      projectId,
      name: `p${n}`,
      description: long,
      entries: range(50, (m) => ({
        testIds: testIds.slice(m * 100, m * 100 + 2_000),
        assignTo: [userId],
        by: 'even',
      })),
    }),
  },
  'get-plan': { args: ({ projectId }: World) => ({ projectId, planId }), before: sparePlan },
  'get-plans': { args: ({ projectId }: World) => ({ projectId, limit: 500 }) },
  'close-plan': { args: ({ projectId }: World) => ({ projectId, planId }), before: sparePlan },
  'get-milestones': { args: ({ projectId }: World) => ({ projectId, limit: 500 }) },
} as const satisfies Readonly<Record<string, Worst>>;
