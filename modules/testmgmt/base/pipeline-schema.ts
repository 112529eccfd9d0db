import { sql } from 'drizzle-orm';
import {
  bool,
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
import type { ReportedStatus } from '../result-files/cases/reported-case.ts';
import { projects, runs, tests } from './schema.ts';

/* Tables that results of pipelines add to runs and tests. A server of an earlier version does not know them and leaves them unchanged. */

/** The columns of a key without its id; `automation-key-store.ts` uses them to add many keys at once. */
export const automationKeyColumns = () => ({
  projectId: int('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** The digest of `key`, which may be too long for an index. */
  keyHash: text('key_hash').notNull(),
  key: text('key').notNull(),
  /** The position of the name in `key`: the suites come before it, the parameters after it. */
  nameFrom: int('name_from').notNull(),
  nameTo: int('name_to').notNull(),
  testId: int('test_id')
    .notNull()
    .references(() => tests.id, { onDelete: 'cascade' }),
  isAlias: bool('is_alias').notNull(),
  /** The source file in which it was first reported. */
  file: text('file'),
  createdBy: int('created_by').notNull(),
  createdAt: time('created_at').notNull(),
});

/** The names of a project's tests in test tools. A test may have several: keys replaced by a rename or a merge become its aliases. */
export const automationKeys = table(
  'testmgmt_automation_keys',
  { id: id('id'), ...automationKeyColumns() },
  (t) => [
    uniqueIndex('testmgmt_automation_keys_hash').on(t.projectId, t.keyHash),
    index('testmgmt_automation_keys_test').on(t.testId),
    // Few rows: the aliases left by renames and merges.
    index('testmgmt_automation_keys_alias')
      .on(t.projectId, t.testId)
      .where(sql`is_alias`),
  ],
);

/** The build whose results a run contains. */
export const runSources = table(
  'testmgmt_run_sources',
  {
    runId: int('run_id')
      .primaryKey()
      .references(() => runs.id, { onDelete: 'cascade' }),
    projectId: int('project_id').notNull(),
    /** Uploads with this key go to the run; null once the run was deleted and another run has the key. */
    runKey: text('run_key'),
    provider: text('provider'),
    repository: text('repository'),
    workflow: text('workflow'),
    branch: text('branch'),
    baseBranch: text('base_branch'),
    commit: text('commit_sha'),
    buildNumber: text('build_number'),
    jobUrl: text('job_url'),
    author: text('author'),
    pullRequest: text('pull_request'),
    createdAt: time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('testmgmt_run_sources_key').on(t.projectId, t.runKey),
    index('testmgmt_run_sources_branch').on(t.projectId, t.branch, t.runId),
    index('testmgmt_run_sources_commit').on(t.projectId, t.commit, t.runId),
  ],
);

/** An attempt as it is stored for a test in a run. */
export interface StoredAttempt {
  /** A digest of everything that the file reports about it, which recognizes the same attempt when it is uploaded again. */
  readonly id: string;
  /** The reported case it belongs to: several reported cases may name one test. */
  readonly part: string;
  /** The job that ran it; empty when unknown. Jobs of one build may run the same test on different machines. */
  readonly job: string;
  readonly status: ReportedStatus;
  /** Epoch milliseconds of its start, or of its upload when the file gives no start. */
  readonly at: number;
  readonly durationMs?: number;
  readonly message?: string;
}

/** The details that a file reports about a case besides its attempts. */
export interface ReportedDetails {
  readonly tags?: readonly string[];
  readonly properties?: Readonly<Record<string, string>>;
  readonly attachments?: readonly string[];
  readonly output?: string;
}

/** The reported results of a test in a run. The attempts determine its status there until a person sets another one. */
export const reportedResults = table(
  'testmgmt_reported_results',
  {
    runId: int('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    testId: int('test_id')
      .notNull()
      .references(() => tests.id, { onDelete: 'cascade' }),
    status: text('status').$type<ReportedStatus>().notNull(),
    /** Duration of the deciding attempt in microseconds. */
    durationUs: int('duration_us'),
    flaky: bool('flaky').notNull(),
    attempts: json<readonly StoredAttempt[]>('attempts').notNull(),
    file: text('file'),
    line: int('line'),
    details: json<ReportedDetails>('details'),
  },
  // No index by test: each result would update one more page, a third of the cost of a nightly build after a year.
  (t) => [primaryKey({ columns: [t.runId, t.testId] })],
);

/**
 * Results of reported cases without a test. They count in the run, and become the results of a test when the case is matched to it.
 * Bounded: unmatched-result-store.ts.
 */
export const unmatchedResults = table(
  'testmgmt_unmatched_results',
  {
    runId: int('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    projectId: int('project_id').notNull(),
    keyHash: text('key_hash').notNull(),
    key: text('key').notNull(),
    nameFrom: int('name_from').notNull(),
    nameTo: int('name_to').notNull(),
    status: text('status').$type<ReportedStatus>().notNull(),
    flaky: bool('flaky').notNull(),
    attempts: json<readonly StoredAttempt[]>('attempts').notNull(),
    file: text('file'),
    line: int('line'),
    details: json<ReportedDetails>('details'),
    /** The test that this case may be under a new name, until someone decides. */
    renameOf: int('rename_of'),
    /** The similarity of the two, in thousandths. */
    similarity: int('similarity'),
    /** Someone decided that they are two tests. */
    declined: bool('declined').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.keyHash] }),
    // All results of a reported case, in every run, from before it had a test.
    index('testmgmt_unmatched_results_key').on(t.projectId, t.keyHash, t.runId),
  ],
);
