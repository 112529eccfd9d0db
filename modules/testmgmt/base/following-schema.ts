import { index, int, primaryKey, table, time } from '../../../core/db/query/columns.ts';
import { projects, runs } from './schema.ts';

/** Who follows a project: they get letters about its runs and milestones. */
export const follows = table(
  'testmgmt_follows',
  {
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: int('user_id').notNull(),
    since: time('since').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.userId] }),
    index('testmgmt_follows_user').on(t.userId, t.projectId),
  ],
);

/** Runs with new results, which followers are told about if tests newly fail. A row is there until then. */
export const runNotices = table(
  'testmgmt_run_notices',
  {
    runId: int('run_id')
      .primaryKey()
      .references(() => runs.id, { onDelete: 'cascade' }),
    projectId: int('project_id').notNull(),
    /** Later with each upload: the jobs of a build arrive one after the other. */
    dueAt: time('due_at').notNull(),
  },
  (t) => [index('testmgmt_run_notices_due').on(t.dueAt)],
);
