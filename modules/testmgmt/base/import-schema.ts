import { index, int, primaryKey, table, text } from '../../../core/db/query/columns.ts';
import { projects, tests } from './schema.ts';

/** The ids that tests had in the product they came from, so that a second import finds them. */
export const externalIds = table(
  'testmgmt_external_ids',
  {
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** The product, e.g. `testrail`, or another word that the caller of the import chose. */
    source: text('source').notNull(),
    externalId: text('external_id').notNull(),
    testId: int('test_id')
      .notNull()
      .references(() => tests.id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.source, t.externalId] }),
    index('testmgmt_external_ids_test').on(t.testId),
  ],
);
