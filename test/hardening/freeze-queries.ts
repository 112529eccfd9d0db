import type { Served } from '../served.ts';
import { range, wholeTest, type World, type Worst } from './freeze-world.ts';

/** Searches every text of every test, and finds none. */
export const slowQuery = range(5, (n) => `"zq${n}xz"`).join(' OR ');

/** The same with letters whose case is ignored one by one. */
export const slowFoldedQuery = range(5, (n) => `"ъжщ${n}юэф"`).join(' OR ');

/** Compares own fields of every test in every way, and leaves all of them. */
export const slowOwnQuery =
  '(cf.notes:zq1xz OR -cf.notes:zq2xz OR cf.notes:=5) (has:cf.weight OR cf.weight:>5) -cf.notes:me,2026-01-01,yes';

/** Counts every result of the project. */
export const windowQuery = '(failed:<3 OR passed:0 OR runs:>=9) since:99w';

let spareIds: readonly number[] = [];
const spareTests = async (served: Served, { projectId }: World) => {
  const made = await served.must('bulk-add-tests', { projectId, tests: range(5_000, wholeTest) });
  spareIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
};

let spareName = 0;
/** A label that 5,000 tests have. */
const spareLabel = async (served: Served, { projectId, testIds }: World, name: string) => {
  const made = await served.must('add-labels', { projectId, labels: [name] });
  spareName = (made['labels'] as [{ labelId: number }])[0].labelId;
  const set = { addLabels: [spareName] };
  const query = `id:${testIds[0]}..${testIds[4_999]}`;
  await served.must('change-tests', { projectId, query, set });
};

/** Operations on all tests that a query selects. */
export const worstByQuery = {
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
  // Entries of one project by a user who has none among them: all are examined.
  'list-activity': { args: ({ projectId, userId }) => ({ projectId, userId, since: '30d', limit: 500 }) },
  'add-classification': {
    args: ({ projectId }, n) => ({ projectId, kind: 'type', names: range(150, (m) => `t${n} ${m}`) }),
  },
  'edit-metadata': {
    args: ({ projectId, labelId }, n) => ({ projectId, kind: 'label', id: labelId, name: `n${n}` }),
  },
  'merge-metadata': {
    args: ({ projectId, labelId }) => ({ projectId, kind: 'label', fromId: spareName, intoId: labelId }),
    before: (served, world, n) => spareLabel(served, world, `merged ${n}`),
  },
  'delete-metadata': {
    args: ({ projectId }) => ({ projectId, kind: 'label', id: spareName }),
    before: (served, world, n) => spareLabel(served, world, `deleted ${n}`),
  },
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
} as const satisfies Readonly<Record<string, Worst>>;
