import { sql } from 'drizzle-orm';
import {
  bool,
  bytes,
  id,
  index,
  int,
  json,
  primaryKey,
  table,
  text,
  time,
  uniqueIndex,
} from '../../../core/db/query/columns.ts';
import type { StepResult } from '../rules/step-result.ts';
import { projects, results, runs, tests } from './schema.ts';

/* What is kept as evidence beside tests and results. */

/** The results of the single steps, beside the result of their test. */
export const resultSteps = table('testmgmt_result_steps', {
  resultId: int('result_id')
    .primaryKey()
    .references(() => results.id, { onDelete: 'cascade' }),
  steps: json<readonly StepResult[]>('steps').notNull(),
});

/**
 * The content of attachments, once for each project: a content that all projects shared would tell a stranger that somebody has it. It is
 * received in chunks, so its digest is known only at the end.
 */
export const blobs = table(
  'testmgmt_blobs',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** SHA-256 in hexadecimal digits; null while it is being received. */
    sha256: text('sha256'),
    /** Bytes received so far, at the end all. */
    size: int('size').notNull(),
    mediaType: text('media_type').notNull(),
    /** When its last chunk was received, or an attachment last referred to it. */
    usedAt: time('used_at').notNull(),
  },
  (t) => [
    uniqueIndex('testmgmt_blobs_content').on(t.projectId, t.sha256),
    index('testmgmt_blobs_size').on(t.projectId, t.size),
  ],
);

export const blobChunks = table(
  'testmgmt_blob_chunks',
  {
    blobId: int('blob_id')
      .notNull()
      .references(() => blobs.id, { onDelete: 'cascade' }),
    position: int('position').notNull(),
    content: bytes('content').notNull(),
  },
  (t) => [primaryKey({ columns: [t.blobId, t.position] })],
);

export const attachments = table(
  'testmgmt_attachments',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    testId: int('test_id').references(() => tests.id, { onDelete: 'cascade' }),
    runId: int('run_id').references(() => runs.id, { onDelete: 'cascade' }),
    /** The result that the test had in the run when the file was attached. */
    resultId: int('result_id'),
    /** The number of a step of the test, from 1. */
    step: int('step'),
    blobId: int('blob_id')
      .notNull()
      .references(() => blobs.id, { onDelete: 'cascade' }),
    fileName: text('file_name').notNull(),
    /** Uploaded with the results of a pipeline: kept for `--attachment-keep`. */
    isOfPipeline: bool('is_of_pipeline').notNull().default(false),
    by: int('by_user').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    index('testmgmt_attachments_test').on(t.testId, t.runId),
    index('testmgmt_attachments_run').on(t.runId, t.testId),
    index('testmgmt_attachments_blob').on(t.blobId),
    index('testmgmt_attachments_result')
      .on(t.resultId)
      .where(sql`result_id is not null`),
    index('testmgmt_attachments_old')
      .on(t.at)
      .where(sql`is_of_pipeline`),
  ],
);

/** A kind of a link: what the test is for, what is wrong, anything else. */
export type LinkKind = 'requirement' | 'defect' | 'reference';

/** Links of a test, or of its result in a run, to records of other systems. */
export const links = table(
  'testmgmt_links',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    testId: int('test_id')
      .notNull()
      .references(() => tests.id, { onDelete: 'cascade' }),
    runId: int('run_id').references(() => runs.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<LinkKind>().notNull(),
    key: text('key').notNull(),
    /** The key in lower case, so that both engines compare alike. */
    keyName: text('key_name').notNull(),
    /** As given; null: by the project's link templates, which may change. */
    url: text('url'),
    by: int('by_user').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    index('testmgmt_links_test').on(t.testId, t.kind, t.keyName, t.runId),
    index('testmgmt_links_run').on(t.runId, t.testId),
    index('testmgmt_links_key').on(t.projectId, t.kind, t.keyName, t.testId),
    index('testmgmt_links_kind').on(t.projectId, t.kind, t.id),
  ],
);

/** Tests whose failures do not fail a build until a moment. */
export const quarantines = table(
  'testmgmt_quarantines',
  {
    testId: int('test_id')
      .primaryKey()
      .references(() => tests.id, { onDelete: 'cascade' }),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    ownerId: int('owner_id').notNull(),
    until: time('until').notNull(),
    linkKey: text('link_key'),
    by: int('by_user').notNull(),
    at: time('at').notNull(),
  },
  (t) => [
    index('testmgmt_quarantines_project').on(t.projectId, t.testId, t.until),
    index('testmgmt_quarantines_end').on(t.projectId, t.until, t.testId),
  ],
);
