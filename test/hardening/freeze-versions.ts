import type { Served } from '../served.ts';
import { long, range, wholeTest, type World, type Worst } from './freeze-world.ts';

let spareId = 0;
let activityId = 0;
const stepsOf = (word: string) =>
  range(500, (n) => ({ action: `${word} ${(n * 7) % 11} ${'x'.repeat(200)}` }));

/** A test with 100 versions whose first and last have 500 other steps each. */
const spareVersions = async (served: Served, { projectId }: World, n: number) => {
  const made = await served.must('create-test', { projectId, testName: `old ${n}`, steps: stepsOf('a') });
  spareId = Number(made['testId']);
  for (const m of range(98, (m) => m))
    await served.must('update-test', { testId: spareId, testDescription: `${m}${long}` });
  await served.must('update-test', { testId: spareId, steps: stepsOf('b') });
};

/** 5,000 tests that were created by one write and deleted by the next. */
const spareDeletion = async (served: Served, { projectId }: World) => {
  const made = await served.must('bulk-add-tests', { projectId, tests: range(5_000, wholeTest) });
  const testIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
  await served.must('bulk-delete-tests', { projectId, testIds });
  const newest = await served.must('list-activity', { projectId, limit: 1 });
  activityId = (newest['activities'] as [{ activityId: number }])[0].activityId;
};

export const worstVersions = {
  'list-test-versions': { args: () => ({ testId: spareId, limit: 500 }), before: spareVersions },
  'compare-test-versions': { args: () => ({ testId: spareId, from: 1 }), before: spareVersions },
  'revert-test': { args: () => ({ testId: spareId, version: 1 }), before: spareVersions },
  'undo-activity': { args: () => ({ activityId }), before: spareDeletion },
} as const satisfies Readonly<Record<string, Worst>>;
