import { afterAll, beforeAll, expect, test } from 'bun:test';
import { beyond, runRefusals, type RefusalCase } from './run-refusals.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';
import { makeWorld, type World } from './valid-calls.ts';

let trivet: TestmgmtKernel;
let world: World;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  world = await makeWorld(trivet);
});
afterAll(() => trivet.stop());

const cases: readonly RefusalCase[] = [
  [
    'an organization that is not there',
    'get-org-details',
    () => ({ orgId: 99 }),
    ['ORGANIZATION_NOT_FOUND', undefined, /organization 99/, /get-orgs-list/],
  ],
  [
    'a project that is not there',
    'get-tests',
    () => ({ projectId: beyond }),
    ['PROJECT_NOT_FOUND', undefined, /project 999999/, /get-projects/],
  ],
  [
    'a project of another organization',
    'get-tests',
    (w) => ({ projectId: w.abroadId }),
    ['PROJECT_NOT_FOUND', undefined, /There is no project/],
  ],
  [
    'an edit of a project without a field',
    'edit-project',
    (w) => ({ projectId: w.projectId }),
    ['NOTHING_TO_UPDATE', undefined, /No field/, /projectName or a projectDescription/],
  ],
  [
    'an edit of a run without a field',
    'edit-run',
    (w) => ({ projectId: w.projectId, runId: w.runId }),
    ['NOTHING_TO_UPDATE', undefined, /No field/, /runName, runDescription/],
  ],
  [
    'an update of a test without a field',
    'update-test',
    (w) => ({ testId: w.testId }),
    ['NOTHING_TO_UPDATE', undefined, /No field/, /testName, testDescription/],
  ],
  [
    'a bulk update with an item without a field',
    'bulk-update-tests',
    (w) => ({ tests: [{ testId: w.testId, testName: 'x' }, { testId: w.otherTestId }] }),
    ['NOTHING_TO_UPDATE', 'tests', /tests\[1\]/, /testName/],
  ],
  [
    'a test that is not there',
    'get-test-details',
    (w) => ({ projectId: w.projectId, testId: beyond }),
    ['TEST_NOT_FOUND', undefined, /no test 999999/, /get-tests/],
  ],
  [
    'a test of the neighbouring project',
    'get-test-details',
    (w) => ({ projectId: w.projectId, testId: w.neighbourTestId }),
    ['NOT_IN_PROJECT', 'testId', /is of project \d+, not of project \d+/],
  ],
  [
    'history of a test of the neighbouring project',
    'get-test-status-history',
    (w) => ({ projectId: w.projectId, testId: w.neighbourTestId }),
    ['NOT_IN_PROJECT', 'testId', /not of project/],
  ],
  [
    'deleting a test of the neighbouring project',
    'delete-test',
    (w) => ({ projectId: w.projectId, testId: w.neighbourTestId }),
    ['NOT_IN_PROJECT', 'testId', /not of project/],
  ],
  ...(['get-test-details', 'delete-test'] as const).map((tool): RefusalCase => [
    `a deleted test in ${tool}`,
    tool,
    (w) => ({ projectId: w.projectId, testId: w.deletedTestId }),
    ['TEST_NOT_FOUND', 'deleted', /is deleted/, /restore-test/],
  ]),
  [
    'an update of a deleted test',
    'update-test',
    (w) => ({ testId: w.deletedTestId, testName: 'x' }),
    ['TEST_NOT_FOUND', 'deleted', /is deleted/, /restore-test/],
  ],
  [
    'a bulk update of unknown and deleted tests',
    'bulk-update-tests',
    (w) => ({
      tests: [w.testId, beyond, w.deletedTestId].map((testId) => ({ testId, testName: 'x' })),
    }),
    ['TEST_NOT_FOUND', 'tests', /tests\[1\]\.testId is 999999; tests\[2\]\.testId is \d+/, /restore-test/],
  ],
  [
    'a bulk update that names a test twice',
    'bulk-update-tests',
    (w) => ({ tests: [w.testId, w.testId].map((testId) => ({ testId, testName: 'x' })) }),
    ['DUPLICATE_ID', 'tests', /tests\[1\]\.testId is \d+, as in tests\[0\]/],
  ],
  [
    'a bulk delete with unknown, foreign and deleted tests',
    'bulk-delete-tests',
    (w) => ({ projectId: w.projectId, testIds: [w.testId, beyond, w.neighbourTestId, w.deletedTestId] }),
    [
      'NOT_IN_PROJECT',
      'testIds',
      /testIds\[1\] is 999999; testIds\[2\] is \d+; testIds\[3\] is \d+\. Nothing/,
    ],
  ],
  [
    'a new test that refers to the neighbour in every way',
    'create-test',
    (w) => ({
      projectId: w.neighbourId,
      testName: 'x',
      sectionId: w.sectionId,
      priorityId: w.priorityId,
      squadId: w.squadId,
      labels: [w.labelId],
    }),
    [
      'NOT_IN_PROJECT',
      'priorityId',
      /priorityId is not of project \d+; sectionId .*; squadId .*; labels\[0\] /,
      /get-priority, get-sections, get-squads, get-labels/,
    ],
  ],
  [
    'an option of another kind',
    'create-test',
    (w) => ({ projectId: w.projectId, testName: 'x', typeId: w.priorityId }),
    ['NOT_IN_PROJECT', 'typeId', /typeId is not of project/, /get-type/],
  ],
  [
    'a bulk with two faulty items',
    'bulk-add-tests',
    (w) => ({
      projectId: w.projectId,
      tests: [
        { testName: 'a' },
        { testName: 'b', sectionId: beyond },
        { testName: 'c', labels: [w.labelId, beyond] },
      ],
    }),
    [
      'NOT_IN_PROJECT',
      'tests',
      /^tests\[1\]\.sectionId is not of project \d+; tests\[2\]\.labels\[1\] is not of project \d+\. Nothing/,
      /get-sections, get-labels/,
    ],
  ],
  [
    'a bulk with forty faulty items',
    'bulk-add-tests',
    (w) => ({
      projectId: w.projectId,
      tests: Array.from({ length: 40 }, () => ({ testName: 'a', squadId: beyond })),
    }),
    ['NOT_IN_PROJECT', 'tests', /tests\[19\]\.squadId is not of project \d+; and 20 more\./],
  ],
  ...runRefusals,
  [
    'a parent section of the neighbour',
    'add-section',
    (w) => ({ projectId: w.neighbourId, sectionName: 'x', parentSectionId: w.sectionId }),
    ['NOT_IN_PROJECT', 'parentSectionId', /parentSectionId/, /get-sections/],
  ],
  [
    'a section of a taken name in other letters',
    'add-section',
    (w) => ({ projectId: w.projectId, sectionName: ' SECTION ' }),
    ['SECTION_EXISTS', 'sectionName', /Section \d+ has this name/, /Use section \d+/],
  ],
  [
    'a section that is not there',
    'edit-section',
    () => ({ sectionId: beyond, sectionName: 'x' }),
    ['SECTION_NOT_FOUND', undefined, /no section 999999/, /get-sections/],
  ],
  ...(['get-tests', 'get-tests-count'] as const).flatMap((tool): RefusalCase[] => [
    [
      `a section of the neighbour as a filter of ${tool}`,
      tool,
      (w) => ({ projectId: w.neighbourId, sectionId: w.sectionId }),
      ['NOT_IN_PROJECT', 'sectionId', /^sectionId is not of project \d+\.$/, /get-sections/],
    ],
    [
      `a priority that is not there as a filter of ${tool}`,
      tool,
      (w) => ({ projectId: w.projectId, priorityId: beyond }),
      ['NOT_IN_PROJECT', 'priorityId', /^priorityId is not of project \d+\.$/, /get-priority/],
    ],
    [
      `an automation status as the priority of ${tool}`,
      tool,
      (w) => ({ projectId: w.projectId, sectionId: w.sectionId, priorityId: w.automationStatusId }),
      ['NOT_IN_PROJECT', 'priorityId', /^priorityId is not of project/, /get-priority/],
    ],
  ]),
  [
    'an automation status of the neighbour as a filter',
    'get-tests-count',
    (w) => ({ projectId: w.neighbourId, automationStatusId: w.automationStatusId }),
    ['NOT_IN_PROJECT', 'automationStatusId', /^automationStatusId is not/, /get-automation-status/],
  ],
  ...(['list-aliases', 'get-run-results'] as const).flatMap((tool): RefusalCase[] => [
    [
      `a test that is not there as a filter of ${tool}`,
      tool,
      ({ projectId, runId }) =>
        tool === 'list-aliases' ? { projectId, testId: beyond } : { projectId, runId, testId: beyond },
      ['TEST_NOT_FOUND', undefined, /no test 999999/, /get-tests/],
    ],
    [
      `a test of the neighbour as a filter of ${tool}`,
      tool,
      ({ projectId, runId, neighbourTestId: testId }) =>
        tool === 'list-aliases' ? { projectId, testId } : { projectId, runId, testId },
      ['NOT_IN_PROJECT', 'testId', /is of project \d+, not of project/],
    ],
  ]),
  [
    'an organization that is not there as a filter of users',
    'get-all-users',
    () => ({ orgId: 99 }),
    ['ORGANIZATION_NOT_FOUND', undefined, /organization 99/, /get-orgs-list/],
  ],
  ...(['create-test', 'bulk-add-tests', 'update-test', 'bulk-update-tests'] as const).map(
    (tool): RefusalCase => [
      `steps that are too long together in ${tool}`,
      tool,
      (w) => {
        const steps = Array.from({ length: 27 }, () => ({ action: 'x'.repeat(20_000) }));
        const one = { testName: 'x', steps };
        if (tool === 'create-test') return { projectId: w.projectId, ...one };
        if (tool === 'update-test') return { testId: w.testId, ...one };
        if (tool === 'bulk-add-tests') return { projectId: w.projectId, tests: [{ testName: 'y' }, one] };
        return { tests: [{ testId: w.testId, ...one }] };
      },
      [
        'STEPS_TOO_LONG',
        tool.startsWith('bulk') ? 'tests' : 'steps',
        /steps: more than 524288 characters in total/,
      ],
    ],
  ),
  [
    'a user who is not there',
    'get-user-details',
    () => ({ userId: beyond }),
    ['USER_NOT_FOUND', undefined, /no user 999999/, /get-all-users/],
  ],
];

test.each(cases)('%s', async (_title, tool, input, [code, cause, message, tip]) => {
  const before = await trivet.everything();
  const fault = await trivet.refusal(tool, input(world));
  expect(fault).toMatchObject({ code, causeWord: cause });
  expect(fault?.message).toMatch(message);
  if (tip) expect(fault?.tip).toMatch(tip);
  expect(await trivet.everything()).toBe(before);
});
