import type { Served } from '../served.ts';
import { range, wholeTest, type World, type Worst } from './freeze-world.ts';

/** Every text of every test is searched, and none is found. */
export const slowQuery = range(5, (n) => `"zq${n}xz"`).join(' OR ');

let spareIds: readonly number[] = [];
const spareTests = async (served: Served, { projectId }: World) => {
  const made = await served.must('bulk-add-tests', { projectId, tests: range(5_000, wholeTest) });
  spareIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
};

/** Operations that act on all tests that a query chooses. */
export const worstByQuery: Readonly<Record<string, Worst>> = {
  'create-run-from-query': {
    args: ({ projectId }, n) => ({ projectId, query: '-flaky:yes -label:none OR runs:0', runName: `q${n}` }),
  },
  'change-tests': {
    args: ({ projectId, testIds }, n) => ({
      projectId,
      query: `id:${testIds[0]}..${testIds[4_000]}`,
      set: { testDescription: `${n}${'x'.repeat(500)}` },
    }),
  },
  // Entries of one project by a user who has none among them: all are looked at.
  'list-activity': { args: ({ projectId, userId }) => ({ projectId, userId, since: '30d', limit: 500 }) },
  'restore-tests': {
    args: ({ projectId }, n) => ({
      projectId,
      ...(n % 2 === 1 ? { testIds: spareIds } : { query: `id:${spareIds[0]}..${spareIds.at(-1)}` }),
    }),
    before: async (served, world) => {
      await spareTests(served, world);
      await served.must('bulk-delete-tests', { projectId: world.projectId, testIds: spareIds });
    },
  },
  'delete-tests-by-query': {
    args: ({ projectId }) => ({ projectId, query: `id:${spareIds[0]}..${spareIds.at(-1)}` }),
    before: spareTests,
  },
};
