import { sql } from 'drizzle-orm';
import { index, int, json, primaryKey, table, text, time } from '../../../core/db/query/columns.ts';
import { byIdField } from '../rules/classification.ts';
import type { FieldValues } from '../rules/field-value.ts';
import { sections, tests } from './schema.ts';

/** When a state ended, and by which write. */
const end = () => ({
  /** Since when it was so; before the first change that was recorded, when the row was last changed. */
  fromAt: time('from_at').notNull(),
  /** From then on the next version holds. */
  untilAt: time('until_at').notNull(),
  /** Who made the state. */
  by: int('by_user'),
  /** The write that ended it (`auth_audit.write_id`). */
  writeId: int('write_id'),
});

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The earlier states of tests; the present one is the test itself (docs/decisions/versions.md). A long text is null if the next newer
 * version has the same one, so equal texts are stored once.
 */
export const testVersions = table(
  'testmgmt_test_versions',
  {
    testId: int('test_id')
      .notNull()
      .references(() => tests.id, { onDelete: 'cascade' }),
    version: int('version').notNull(),
    ...end(),
    name: text('name').notNull(),
    sectionId: int('section_id'),
    ...byIdField((kind) => int(`${snakeCase(kind)}_id`)),
    squadId: int('squad_id'),
    estimateSeconds: int('estimate_seconds'),
    fields: json<FieldValues>('fields'),
    deletedAt: time('deleted_at'),
    /** The ids of its labels between commas, e.g. `,3,7,`; a comma for none. */
    labels: text('labels').notNull(),
    description: text('description'),
    preconditions: text('preconditions'),
    steps: text('steps'),
  },
  (t) => [
    primaryKey({ columns: [t.testId, t.version] }),
    index('testmgmt_test_versions_write')
      .on(t.writeId, t.testId)
      .where(sql`write_id is not null`),
  ],
);

/** The earlier states of sections. */
export const sectionVersions = table(
  'testmgmt_section_versions',
  {
    sectionId: int('section_id')
      .notNull()
      .references(() => sections.id, { onDelete: 'cascade' }),
    version: int('version').notNull(),
    ...end(),
    name: text('name').notNull(),
    parentId: int('parent_id'),
    deletedAt: time('deleted_at'),
  },
  (t) => [
    primaryKey({ columns: [t.sectionId, t.version] }),
    index('testmgmt_section_versions_write')
      .on(t.writeId, t.sectionId)
      .where(sql`write_id is not null`),
  ],
);
