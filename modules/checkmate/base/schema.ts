import { int, primaryKey, table, text, time } from '../../../core/db/query/columns.ts';

/**
 * What was imported from databases of Checkmate, so that a second import brings only what is new. `source` names the database. Of a result,
 * `parentId` is its run and `foreignId` its test there, and `ourId` the last result that was imported; of all others, `parentId` is 0.
 */
export const imported = table(
  'checkmate_imported',
  {
    source: text('source').notNull(),
    kind: text('kind').$type<ImportedKind>().notNull(),
    parentId: int('parent_id').notNull(),
    foreignId: int('foreign_id').notNull(),
    ourId: int('our_id').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.kind, t.parentId, t.foreignId] })],
);

/** `history`: of a run, with the id of its last change there that was imported as `ourId`. */
export type ImportedKind =
  | 'user'
  | 'project'
  | 'section'
  | 'squad'
  | 'label'
  | 'test'
  | 'run'
  | 'result'
  | 'history';
