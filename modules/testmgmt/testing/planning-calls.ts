import type { TestmgmtKernel } from './testmgmt-kernel.ts';
import type { World } from './valid-calls.ts';

/** Records of planning in the first project of a {@link World}. */
export interface Planned {
  readonly milestoneId: number;
  readonly otherMilestoneId: number;
  readonly groupId: number;
  readonly planId: number;
}

export async function makePlanned(
  { call }: TestmgmtKernel,
  projectId: number,
  testId: number,
): Promise<Planned> {
  const made = async (tool: string, key: string, args: object) =>
    Number((await call(tool, { projectId, ...args }))[key]);
  await call('create-field', {
    projectId,
    key: 'browser',
    name: 'Browser',
    kind: 'choice',
    options: ['Chrome'],
  });
  await call('create-field', { projectId, key: 'os', name: 'System', kind: 'text', of: 'result' });
  return {
    milestoneId: await made('create-milestone', 'milestoneId', { name: '1.4' }),
    otherMilestoneId: await made('create-milestone', 'milestoneId', { name: '1.5' }),
    groupId: await made('create-configuration-group', 'groupId', {
      name: 'Browser',
      values: ['Chrome', 'Edge'],
    }),
    planId: Number(
      (
        (await call('create-plan', { projectId, name: 'Plan', entries: [{ testIds: [testId] }] }))[
          'plan'
        ] as { planId: number }
      ).planId,
    ),
  };
}

const paged = { limit: 10, offset: 0 };

/** The calls of the tools of planning. */
export const planningCalls = {
  'create-field': ({ projectId }: World) => ({
    projectId,
    key: 'risk',
    name: 'Risk',
    of: 'test',
    kind: 'choice',
    options: ['low', 'high'],
    required: true,
  }),
  'edit-field': ({ projectId }: World) => ({
    projectId,
    key: 'browser',
    name: 'Browsers',
    options: ['Chrome', 'Edge'],
    required: false,
  }),
  'delete-field': ({ projectId }: World) => ({ projectId, key: 'browser' }),
  'list-fields': ({ projectId }: World) => ({ projectId, ...paged }),
  'create-milestone': ({ projectId, planned }: World) => ({
    projectId,
    name: '1.4.1',
    description: 'text',
    startOn: '2026-11-01',
    dueOn: '2026-11-30',
    parentMilestoneId: planned.milestoneId,
  }),
  'edit-milestone': ({ projectId, planned }: World) => ({
    projectId,
    milestoneId: planned.milestoneId,
    name: '1.4 LTS',
    description: null,
    startOn: null,
    dueOn: '2026-12-24',
    parentMilestoneId: planned.otherMilestoneId,
    status: 'open',
  }),
  'close-milestone': ({ projectId, planned }: World) => ({ projectId, milestoneId: planned.milestoneId }),
  'delete-milestone': ({ projectId, planned }: World) => ({ projectId, milestoneId: planned.milestoneId }),
  'get-milestones': ({ projectId, planned }: World) => ({
    projectId,
    milestoneId: planned.milestoneId,
    status: 'open',
    ...paged,
  }),
  'assign-tests': ({ projectId, runId, testId, userId }: World) => ({
    projectId,
    runId,
    testIds: [testId],
    assignTo: [userId],
    by: 'estimate',
    dryRun: false,
  }),
  'get-workload': ({ projectId, planned }: World) => ({ projectId, milestoneId: planned.milestoneId }),
  'create-configuration-group': ({ projectId }: World) => ({
    projectId,
    name: 'System',
    values: ['Linux', 'Windows'],
  }),
  'edit-configuration-group': ({ projectId, planned }: World) => ({
    projectId,
    groupId: planned.groupId,
    name: 'Browsers',
    values: [{ name: 'Firefox' }],
  }),
  'delete-configuration-group': ({ projectId, planned }: World) => ({ projectId, groupId: planned.groupId }),
  'get-configuration-groups': ({ projectId }: World) => ({ projectId, ...paged }),
  'create-plan': ({ projectId, planned, testId, userId }: World) => ({
    projectId,
    name: 'Release',
    description: 'text',
    milestoneId: planned.milestoneId,
    dueOn: '2026-12-24',
    entries: [{ testIds: [testId], configurations: 'pairwise', assignTo: [userId] }],
    dryRun: false,
  }),
  'get-plan': ({ projectId, planned }: World) => ({ projectId, planId: planned.planId }),
  'get-plans': ({ projectId }: World) => ({ projectId, status: 'open', ...paged }),
  'close-plan': ({ projectId, planned }: World) => ({ projectId, planId: planned.planId }),
};
