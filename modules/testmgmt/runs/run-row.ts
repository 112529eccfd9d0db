import type { runTests, runs, tests } from '../base/schema.ts';

/** A stored run. */
export type Run = typeof runs.$inferSelect;

/** A test of a run, with the fields of the test that its records need. */
export type RunTest = Pick<
  typeof runTests.$inferSelect,
  'testId' | 'status' | 'comment' | 'updatedBy' | 'updatedAt' | 'assigneeId'
> &
  Pick<typeof tests.$inferSelect, 'sectionId' | 'priorityId' | 'squadId' | 'deletedAt'> & {
    readonly testName: string;
  };
