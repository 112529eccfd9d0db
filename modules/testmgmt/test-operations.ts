import { Type } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { operation } from '../../core/operation.ts';
import { page, pageOf, paging } from '../../core/page.ts';
import { recordId } from '../../core/schema.ts';
import { nameText, projectId, testFields } from './parameters.ts';
import { projectFor } from './projects.ts';
import { slimTestRecord, testRecord } from './records.ts';
import { insertTest, pageOfTests, slimRecords, wholeRecord } from './tests.ts';

const toolset = 'testmgmt';
const closed = { additionalProperties: false } as const;

export const getTests = operation({
  name: 'get-tests',
  toolset,
  title: 'List tests',
  description:
    'Lists the tests of a project, a page at a time, oldest first, without descriptions and steps (get-test-details has ' +
    'them). get-tests-count answers how many there are.',
  input: Type.Object(
    {
      projectId,
      sectionId: Type.Optional(recordId('Only tests of this section; get-sections lists them.')),
      priorityId: Type.Optional(recordId('Only tests of this priority; get-priority lists them.')),
      ...paging,
    },
    closed,
  ),
  output: page('tests', slimTestRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    await projectFor(db.q, actor, input.projectId, 'read');
    const { limit, offset } = pageOf(input);
    const { total, rows } = await pageOfTests(db.q, input.projectId, input, { limit, offset });
    return { total, limit, offset, tests: await slimRecords(db.q, input.projectId, rows) };
  },
});

export const createTest = operation({
  name: 'create-test',
  toolset,
  title: 'Create a test',
  description: 'Creates one test case in a project. For many at once use bulk-add-tests.',
  input: Type.Object({ projectId, testName: nameText('What the test checks.'), ...testFields }, closed),
  output: testRecord,
  access: member('write'),
  effect: 'create',
  handler: ({ projectId: id, ...fields }, { actor, db, clock }) =>
    db.tx(async (q) => {
      await projectFor(q, actor, id, 'write');
      const trimmed = { ...fields, testName: fields.testName.trim() };
      const test = await insertTest(q, {
        projectId: id,
        fields: trimmed,
        by: actor.userId,
        now: clock.now(),
      });
      return wholeRecord(q, test);
    }),
});
