import type { runTests, runs, tests } from '../base/schema.ts';

/** A run as it is stored. */
export type Run = typeof runs.$inferSelect;

/** A test of a run, with what its records need of the test itself. */
export type RunTest = Pick<
  typeof runTests.$inferSelect,
  'testId' | 'status' | 'comment' | 'updatedBy' | 'updatedAt'
> &
  Pick<typeof tests.$inferSelect, 'sectionId' | 'priorityId' | 'squadId' | 'deletedAt'> & {
    readonly testName: string;
  };
