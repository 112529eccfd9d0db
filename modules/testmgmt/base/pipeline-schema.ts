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

/*
 * What results of pipelines add to runs and tests. A server of an earlier version does not know these tables and leaves them as they are.
 */

/** The columns of a key without its id; `automation-key-store.ts` adds many at once with them. */
export const automationKeyColumns = () => ({
  projectId: int('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** The digest of `key`, which may be longer than an index takes. */
  keyHash: text('key_hash').notNull(),
  key: text('key').notNull(),
  /** Where the name stands in `key`: before it are the suites, after it the parameters. */
  nameFrom: int('name_from').notNull(),
  nameTo: int('name_to').notNull(),
  testId: int('test_id')
    .notNull()
    .references(() => tests.id, { onDelete: 'cascade' }),
  isAlias: bool('is_alias').notNull(),
  /** The source file that reported it first. */
  file: text('file'),
  createdBy: int('created_by').notNull(),
  createdAt: time('created_at').notNull(),
});

/** What tools call the tests of a project. A test may have several: those that a rename or a merge replaced are its aliases. */
export const automationKeys = table(
  'testmgmt_automation_keys',
  { id: id('id'), ...automationKeyColumns() },
  (t) => [
    uniqueIndex('testmgmt_automation_keys_hash').on(t.projectId, t.keyHash),
    index('testmgmt_automation_keys_test').on(t.testId),
    // Few: what renames and merges left.
    index('testmgmt_automation_keys_alias')
      .on(t.projectId, t.testId)
      .where(sql`is_alias`),
  ],
);

/** The build that a run has its results from. */
export const runSources = table(
  'testmgmt_run_sources',
  {
    runId: int('run_id')
      .primaryKey()
      .references(() => runs.id, { onDelete: 'cascade' }),
    projectId: int('project_id').notNull(),
    /** Uploads with this key meet in the run; null once the run was deleted and the key is another run's. */
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

/** An attempt as it is stored with the test in the run. */
export interface StoredAttempt {
  /** A digest of everything that the file says of it: the same attempt, uploaded again, is known by it. */
  readonly id: string;
  /** The case that it was: several cases may name one test. */
  readonly part: string;
  /** The job that ran it; empty when unknown. Jobs of one build may run the same test on different machines. */
  readonly job: string;
  readonly status: ReportedStatus;
  /** Epoch milliseconds: when it began; when the file does not say, when it was received. */
  readonly at: number;
  readonly durationMs?: number;
  readonly message?: string;
}

/** What a file says of a case besides its attempts. */
export interface ReportedDetails {
  readonly tags?: readonly string[];
  readonly properties?: Readonly<Record<string, string>>;
  readonly attachments?: readonly string[];
  readonly output?: string;
}

/** What was reported for a test in a run. Its status there follows from the attempts until a person sets another one. */
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
    /** Microseconds of the attempt that decides. */
    durationUs: int('duration_us'),
    flaky: bool('flaky').notNull(),
    attempts: json<readonly StoredAttempt[]>('attempts').notNull(),
    file: text('file'),
    line: int('line'),
    details: json<ReportedDetails>('details'),
  },
  // No index by test: it would touch a page for each result, a third of what a nightly build costs after a year.
  (t) => [primaryKey({ columns: [t.runId, t.testId] })],
);

/**
 * What was reported for cases of no test: it counts in the run, and becomes the result of the test that a case turns out to be. Bounded:
 * unmatched-result-store.ts.
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
    /** The test that it seems to be under another name, until somebody answers. */
    renameOf: int('rename_of'),
    /** How alike they are, in thousandths. */
    similarity: int('similarity'),
    /** Somebody said that they are two tests. */
    declined: bool('declined').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.keyHash] }),
    // Of a case in all runs: what it was reported as before it had a test.
    index('testmgmt_unmatched_results_key').on(t.projectId, t.keyHash, t.runId),
  ],
);
