const project = { projectId: 1 };

/** The rows of tool-calls.ts for the tools of planning. Run 1 has the tests 1, 2 and 4. */
export const planningCalls: ReadonlyArray<
  readonly [tool: string, args: object, expected: object | string | RegExp]
> = [
  [
    'create-field',
    { ...project, key: 'risk', name: 'Risk', kind: 'choice', options: ['low', 'high'] },
    { key: 'risk', of: 'test', required: false },
  ],
  ['create-field', { ...project, key: 'risk', name: 'x', kind: 'text' }, 'FIELD_EXISTS'],
  ['edit-field', { ...project, key: 'risk', name: 'Risk level' }, { name: 'Risk level' }],
  ['edit-field', { ...project, key: 'nothing', name: 'x' }, 'FIELD_NOT_FOUND'],
  ['update-test', { testId: 1, fields: { risk: 'high' } }, { fields: { risk: 'high' } }],
  ['update-test', { testId: 1, fields: { risk: 'medium' } }, 'INVALID_FIELD_VALUE'],
  ['get-tests', { ...project, query: 'cf.risk:high' }, { total: 1 }],
  ['list-fields', project, { total: 1, fields: [{ key: 'risk' }] }],
  ['delete-field', { ...project, key: 'risk' }, { deleted: true }],
  [
    'create-milestone',
    { ...project, name: '1.4', dueOn: '2026-11-30' },
    { milestoneId: 1, dueOn: '2026-11-30' },
  ],
  ['create-milestone', { ...project, name: ' 1.4 ' }, 'MILESTONE_EXISTS'],
  ['create-milestone', { ...project, name: '1.5', dueOn: '2026-02-30' }, 'INVALID_REQUEST'],
  ['edit-milestone', { ...project, milestoneId: 1, startOn: '2026-11-01' }, { startOn: '2026-11-01' }],
  ['edit-milestone', { ...project, milestoneId: 1, startOn: '2026-12-01' }, 'INVALID_REQUEST'],
  ['edit-milestone', { ...project, milestoneId: 9, name: 'x' }, 'MILESTONE_NOT_FOUND'],
  ['edit-run', { ...project, runId: 1, milestoneId: 1, dueOn: '2026-11-20' }, { milestoneId: 1 }],
  [
    'get-runs',
    { ...project, query: 'milestone:1.4' },
    { total: 1, runs: [{ runId: 1, dueOn: '2026-11-20' }] },
  ],
  ['get-milestones', project, { total: 1, milestones: [{ name: '1.4', progress: { runs: 1, total: 3 } }] }],
  ['get-milestones', { ...project, milestoneId: 9 }, 'MILESTONE_NOT_FOUND'],
  ['close-milestone', { ...project, milestoneId: 1 }, { status: 'closed', openRuns: 1 }],
  ['create-run', { ...project, runName: 'late', testIds: [1], milestoneId: 1 }, 'MILESTONE_CLOSED'],
  ['edit-milestone', { ...project, milestoneId: 1, status: 'open' }, { status: 'open' }],
  ['assign-tests', { ...project, runId: 1, testIds: [1, 4], assignTo: [2] }, { count: 2, changed: 2 }],
  ['assign-tests', { ...project, runId: 1, testIds: [1], assignTo: [99] }, 'NOT_A_MEMBER'],
  ['assign-tests', { ...project, runId: 1, assignTo: [2] }, 'INVALID_REQUEST'],
  [
    'get-run-tests-list',
    { ...project, runId: 1, query: 'assigned:me' },
    { total: 2, tests: [{ assigneeId: 2 }, {}] },
  ],
  [
    'get-workload',
    { ...project, runId: 1 },
    {
      todo: 3,
      people: [
        { userId: 2, todo: 2 },
        { userId: null, todo: 1 },
      ],
    },
  ],
  ['get-workload', project, 'INVALID_REQUEST'],
  ['create-configuration-group', { ...project, name: 'Browser', values: ['Chrome', 'Edge'] }, { groupId: 1 }],
  [
    'create-configuration-group',
    { ...project, name: 'browser', values: ['x'] },
    'CONFIGURATION_GROUP_EXISTS',
  ],
  [
    'edit-configuration-group',
    {
      ...project,
      groupId: 1,
      values: [
        { valueId: 2, name: 'Edge' },
        { valueId: 1, name: 'Chrome' },
      ],
    },
    { values: [{ valueId: 2 }, { valueId: 1 }] },
  ],
  ['get-configuration-groups', project, { total: 1, groups: [{ name: 'Browser' }] }],
  [
    'create-plan',
    { ...project, name: 'Release', entries: [{ testIds: [1], configurations: 'all' }], dryRun: true },
    { dryRun: true, tests: 2, runs: [{ runId: null, runName: 'Release (Edge)' }, {}] },
  ],
  [
    'create-plan',
    { ...project, name: 'Release', entries: [{ testIds: [1], configurations: [[1]] }] },
    { plan: { planId: 1 }, runs: [{ runName: 'Release (Chrome)' }] },
  ],
  ['create-plan', { ...project, name: 'x', entries: [{ query: 'nothing' }] }, 'NOTHING_TO_UPDATE'],
  ['get-plan', { ...project, planId: 1 }, { runs: [{ configurations: [{ value: 'Chrome' }] }] }],
  ['get-plan', { ...project, planId: 9 }, 'PLAN_NOT_FOUND'],
  ['get-plans', project, { total: 1 }],
  ['close-plan', { ...project, planId: 1 }, { status: 'closed', lockedRuns: 1, untested: 1 }],
  ['create-configuration-group', { ...project, name: 'gone', values: ['x'] }, { groupId: 2 }],
  ['delete-configuration-group', { ...project, groupId: 2 }, { groupId: 2, deleted: true }],
  ['delete-configuration-group', { ...project, groupId: 2 }, 'CONFIGURATION_GROUP_NOT_FOUND'],
  ['create-milestone', { ...project, name: 'gone' }, { milestoneId: 2 }],
  ['delete-milestone', { ...project, milestoneId: 2 }, { deleted: true, runs: 0 }],
  ['delete-milestone', { ...project, milestoneId: 2 }, 'MILESTONE_NOT_FOUND'],
];
