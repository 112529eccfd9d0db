import { bool, id, int, json, table, text, time, uniqueIndex } from '../../../core/db/query/columns.ts';
import type { FieldKind, FieldOwner, FieldValues } from '../rules/field-value.ts';
import { projects, results } from './schema.ts';

/**
 * Fields that a project declares for its tests or results. The values are with the test and with the result, by key, so a key never
 * changes. A deleted field keeps its row and its values: declared again, it has them.
 */
export const customFields = table(
  'testmgmt_fields',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    name: text('name').notNull(),
    owner: text('owner').$type<FieldOwner>().notNull(),
    kind: text('kind').$type<FieldKind>().notNull(),
    options: json<readonly string[]>('options').notNull(),
    required: bool('required').notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    updatedBy: int('updated_by').notNull(),
    updatedAt: time('updated_at').notNull(),
    deletedAt: time('deleted_at'),
  },
  (t) => [uniqueIndex('testmgmt_fields_key').on(t.projectId, t.key)],
);

/** The values of the fields of a result, beside it. */
export const resultFieldValues = table('testmgmt_result_fields', {
  resultId: int('result_id')
    .primaryKey()
    .references(() => results.id, { onDelete: 'cascade' }),
  fields: json<FieldValues>('fields').notNull(),
});
