import { id, index, int, table, text, time, uniqueIndex } from '../../../core/db/query/columns.ts';
import { projects, runs } from '../base/schema.ts';

/** Links by which anybody may read the report of a run, or the last runs of a project. The link itself is stored as a hash. */
export const shareLinks = table(
  'testmgmt_share_links',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Neither a run nor a milestone: the project. */
    runId: int('run_id').references(() => runs.id, { onDelete: 'cascade' }),
    /** No reference: SQLite adds no column that a deletion follows. A link of a deleted milestone leads nowhere. */
    milestoneId: int('milestone_id'),
    hash: text('hash').notNull(),
    by: int('by_user').notNull(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('testmgmt_share_links_hash').on(t.hash),
    index('testmgmt_share_links_project').on(t.projectId, t.id),
    index('testmgmt_share_links_expires').on(t.expiresAt),
  ],
);
