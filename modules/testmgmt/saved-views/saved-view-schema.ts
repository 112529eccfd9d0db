import { bool, id, index, int, table, text, time, uniqueIndex } from '../../../core/db/query/columns.ts';
import { projects } from '../base/schema.ts';

/** Queries that people gave a name, each for oneself or for everybody in the project. */
export const savedViews = table(
  'testmgmt_saved_views',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The list that the query is of. */
    surface: text('surface').notNull().$type<'tests' | 'runs' | 'run-tests'>(),
    ownerId: int('owner_id').notNull(),
    name: text('name').notNull(),
    nameKey: text('name_key').notNull(),
    query: text('query').notNull(),
    shared: bool('shared').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('testmgmt_saved_views_name').on(t.projectId, t.ownerId, t.surface, t.nameKey),
    index('testmgmt_saved_views_owner').on(t.ownerId),
  ],
);
