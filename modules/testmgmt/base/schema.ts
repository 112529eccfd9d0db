import { sql } from 'drizzle-orm';
import {
  bool,
  id,
  index,
  int,
  json,
  onPostgres,
  onSqlite,
  primaryKey,
  table,
  text,
  time,
  uniqueIndex,
} from '../../../core/db/query/columns.ts';
import type { Classification } from '../rules/classification.ts';
import type { FieldValues } from '../rules/field-value.ts';
import type { ReviewMode } from '../rules/review-mode.ts';
import type { TestStatus } from '../rules/test-status.ts';

/** A count stored with its record, so that a page need not count rows. Every change of the rows updates it in the same transaction. */
const counter = (name: string) => int(name).notNull().default(0);

/** Who last changed a row, and when; null for rows written before this was recorded. */
const lastChange = () => ({ updatedBy: int('updated_by'), updatedAt: time('updated_at') });

/** What has versions (version-schema.ts). */
const versioned = () => ({
  /** Counts up with every change. */
  version: int('version').notNull().default(1),
  /** The write that created it (`auth_audit.write_id`). */
  createdWrite: int('created_write'),
});
const wasWritten = sql`created_write is not null`;

/** Rows that are not deleted. The index contains the column itself, so that a scan reads only the index. */
const live = sql`deleted_at is null`;
const deleted = sql`deleted_at is not null`;
const withoutSteps = sql`deleted_at is null and steps = '[]'`;

/** Where the keys of another system are found. */
export interface LinkTemplate {
  readonly prefix: string;
  /** With `{key}`. */
  readonly url: string;
  /** With `{title}` and `{body}`. */
  readonly newIssueUrl?: string;
}

export const projects = table(
  'testmgmt_projects',
  {
    id: id('id'),
    orgId: int('org_id').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    isActive: bool('is_active').notNull(),
    /** Tests and runs that are not deleted. */
    testsCount: counter('tests_count'),
    runsCount: counter('runs_count'),
    /** Null: none. */
    linkTemplates: json<readonly LinkTemplate[]>('link_templates'),
    /** Whose changes of tests need a review. */
    review: text('review').$type<ReviewMode>().notNull().default('off'),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    updatedBy: int('updated_by'),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('testmgmt_projects_org').on(t.orgId, t.id)],
);

const projectId = () =>
  int('project_id')
    .notNull()
    .references(() => projects.id);

/** The values of the classifications: one list per classification and project. */
export const classificationValues = table(
  'testmgmt_options',
  {
    id: id('id'),
    projectId: projectId(),
    kind: text('kind').$type<Classification>().notNull(),
    name: text('name').notNull(),
    position: int('position').notNull(),
    ...lastChange(),
  },
  (t) => [uniqueIndex('testmgmt_options_name').on(t.projectId, t.kind, t.name)],
);

/** Sections (test suites): a tree within one project. */
export const sections = table(
  'testmgmt_sections',
  {
    id: id('id'),
    projectId: projectId(),
    parentId: int('parent_id'),
    name: text('name').notNull(),
    createdAt: time('created_at').notNull(),
    deletedAt: time('deleted_at'),
    ...lastChange(),
    ...versioned(),
  },
  (t) => [
    index('testmgmt_sections_project').on(t.projectId, t.parentId),
    index('testmgmt_sections_created_write').on(t.createdWrite, t.id).where(wasWritten),
  ],
);

/** `nameKey` is the name in lower case, so that names are unique regardless of case on both engines. */
const named = () => ({
  id: id('id'),
  projectId: projectId(),
  name: text('name').notNull(),
  nameKey: text('name_key').notNull(),
  ...lastChange(),
});

export const labels = table('testmgmt_labels', named(), (t) => [
  uniqueIndex('testmgmt_labels_name').on(t.projectId, t.nameKey),
]);

export const squads = table('testmgmt_squads', named(), (t) => [
  uniqueIndex('testmgmt_squads_name').on(t.projectId, t.nameKey),
]);

export interface Step {
  readonly action: string;
  readonly data?: string;
  readonly expected?: string;
}

/** The columns of a test without the id, which the database assigns. */
export const testColumns = () => ({
  projectId: projectId(),
  name: text('name').notNull(),
  description: text('description').notNull(),
  preconditions: text('preconditions').notNull(),
  steps: json<readonly Step[]>('steps').notNull(),
  sectionId: int('section_id').references(() => sections.id),
  priorityId: int('priority_id').references(() => classificationValues.id),
  typeId: int('type_id').references(() => classificationValues.id),
  automationStatusId: int('automation_status_id').references(() => classificationValues.id),
  platformId: int('platform_id').references(() => classificationValues.id),
  testCoveredById: int('test_covered_by_id').references(() => classificationValues.id),
  squadId: int('squad_id').references(() => squads.id),
  createdBy: int('created_by').notNull(),
  createdAt: time('created_at').notNull(),
  updatedBy: int('updated_by'),
  updatedAt: time('updated_at').notNull(),
  deletedAt: time('deleted_at'),
  /** How long somebody takes for it. */
  estimateSeconds: int('estimate_seconds'),
  /** The values of the project's own fields, by key in alphabetical order; null for none (field-schema.ts). */
  fields: json<FieldValues>('fields'),
  /** The test's `updatedAt` when its row of `testmgmt_text_marks` was last known to be correct. */
  markedAt: time('marked_at'),
  ...versioned(),
});

export const tests = table('testmgmt_tests', { id: id('id'), ...testColumns() }, (t) => [
  index('testmgmt_tests_page').on(t.projectId, t.id, t.deletedAt).where(live),
  // With a section, the other filters are read from the index too. Previously one count looked up 100,000 rows.
  index('testmgmt_tests_in_section')
    .on(t.projectId, t.sectionId, t.id, t.deletedAt, t.priorityId, t.automationStatusId)
    .where(live),
  index('testmgmt_tests_priority').on(t.projectId, t.priorityId, t.id, t.deletedAt).where(live),
  index('testmgmt_tests_breakdown')
    .on(t.projectId, t.priorityId, t.automationStatusId, t.deletedAt)
    .where(live),
  // The columns that queries compare. PostgreSQL reads the table faster than such a wide index.
  ...onSqlite(
    index('testmgmt_tests_filter').on(
      t.projectId,
      t.id,
      t.deletedAt,
      t.sectionId,
      t.priorityId,
      t.typeId,
      t.automationStatusId,
      t.platformId,
      t.testCoveredById,
      t.squadId,
      t.createdBy,
      t.createdAt,
      t.updatedBy,
      t.updatedAt,
      t.name,
      sql`(steps <> '[]')`,
      sql`(description <> '')`,
    ),
  ),
  ...onPostgres(
    index('testmgmt_tests_updated').on(t.projectId, t.updatedAt, t.id, t.updatedBy).where(live),
    index('testmgmt_tests_classified')
      .on(
        t.projectId,
        t.id,
        t.squadId,
        t.automationStatusId,
        t.typeId,
        t.platformId,
        t.testCoveredById,
        t.createdBy,
      )
      .where(live),
    index('testmgmt_tests_without_steps').on(t.projectId, t.id).where(withoutSteps),
    index('testmgmt_tests_deleted').on(t.projectId, t.id).where(deleted),
  ),
  // For the median of a project's estimates, which most tests may not have.
  index('testmgmt_tests_estimated')
    .on(t.projectId, t.id, t.deletedAt, t.estimateSeconds)
    .where(sql`estimate_seconds is not null`),
  // Nearly empty: only rows written by servers of an earlier version.
  index('testmgmt_tests_unmarked')
    .on(t.projectId, t.id)
    .where(sql`marked_at is distinct from updated_at`),
  index('testmgmt_tests_created_write').on(t.createdWrite, t.id).where(wasWritten),
  // Nearly empty: tests with more versions than are kept.
  index('testmgmt_tests_many_versions')
    .on(t.id)
    .where(sql`version > 10000`),
]);

export const testLabels = table(
  'testmgmt_test_labels',
  {
    testId: int('test_id')
      .notNull()
      .references(() => tests.id),
    labelId: int('label_id')
      .notNull()
      .references(() => labels.id),
  },
  (t) => [
    primaryKey({ columns: [t.testId, t.labelId] }),
    index('testmgmt_test_labels_label').on(t.labelId, t.testId),
  ],
);

export const runs = table(
  'testmgmt_runs',
  {
    id: id('id'),
    projectId: projectId(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    /** The number of its tests by status; the sum is the number of its tests. */
    passed: counter('passed'),
    failed: counter('failed'),
    blocked: counter('blocked'),
    retest: counter('retest'),
    untested: counter('untested'),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    lockedBy: int('locked_by'),
    lockedAt: time('locked_at'),
    deletedAt: time('deleted_at'),
    ...lastChange(),
    /** Its `updatedAt` after tests were last added or removed; null: never, or before this was recorded. */
    testsChangedAt: time('tests_changed_at'),
    /* Planning. Milestones and plans are declared in planning-schema.ts, so nothing refers to them here. */
    milestoneId: int('milestone_id'),
    planId: int('plan_id'),
    /** The start of the day in UTC. */
    dueOn: time('due_on'),
  },
  (t) => [
    index('testmgmt_runs_page').on(t.projectId, t.id, t.deletedAt).where(live),
    index('testmgmt_runs_milestone')
      .on(t.milestoneId)
      .where(sql`milestone_id is not null`),
    index('testmgmt_runs_plan')
      .on(t.planId)
      .where(sql`plan_id is not null`),
  ],
);

export const runTests = table(
  'testmgmt_run_tests',
  {
    runId: int('run_id')
      .notNull()
      .references(() => runs.id),
    testId: int('test_id')
      .notNull()
      .references(() => tests.id),
    status: text('status').$type<TestStatus>().notNull(),
    comment: text('comment'),
    updatedBy: int('updated_by'),
    updatedAt: time('updated_at'),
    /** The failure group of the comment (rules/failure-group.ts); null: none, or not known yet. */
    commentGroup: text('comment_group'),
    /** Who is to run it. Somebody who has left the organization counts as nobody. */
    assigneeId: int('assignee_id'),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.testId] }),
    index('testmgmt_run_tests_page').on(t.runId, t.status, t.testId),
    // Nearly empty: only rows of servers of an earlier version.
    index('testmgmt_run_tests_ungrouped')
      .on(t.runId, t.testId)
      .where(sql`status = 'failed' and comment <> '' and comment_group is null`),
    index('testmgmt_run_tests_assignee')
      .on(t.assigneeId, t.runId)
      .where(sql`assignee_id is not null`),
  ],
);

/** The columns of a result without its id; `result-store.ts` uses them to append many at once. */
export const resultColumns = () => ({
  runId: int('run_id')
    .notNull()
    .references(() => runs.id),
  testId: int('test_id')
    .notNull()
    .references(() => tests.id),
  status: text('status').$type<TestStatus>().notNull(),
  comment: text('comment'),
  by: int('by_user').notNull(),
  at: time('at').notNull(),
  /** The failure group of the comment; empty for an empty comment, null without one. */
  commentGroup: text('comment_group'),
});

/** The status history: every result of a test in a run, append-only. */
export const results = table('testmgmt_results', { id: id('id'), ...resultColumns() }, (t) => [
  index('testmgmt_results_run').on(t.runId, t.testId),
  index('testmgmt_results_test').on(t.testId, t.id),
]);

/**
 * The summary of a test's results: one row for each test with results (docs/decisions/results-by-test.md). The condition `failed > 0` must
 * be worded identically in its index and in a query, because SQLite compares the text.
 */
export const outcomes = table(
  'testmgmt_outcomes',
  {
    testId: int('test_id')
      .primaryKey()
      .references(() => tests.id, { onDelete: 'cascade' }),
    projectId: int('project_id').notNull(),
    lastStatus: text('last_status').$type<TestStatus>().notNull(),
    lastAt: time('last_at').notNull(),
    lastBy: int('last_by').notNull(),
    lastRunId: int('last_run_id').notNull(),
    lastResultId: int('last_result_id').notNull(),
    firstResultId: int('first_result_id').notNull(),
    changedAfter: int('changed_after').notNull(),
    recent: text('recent').notNull(),
    lastVerdict: text('last_verdict').$type<'p' | 'f'>(),
    failed: int('failed').notNull(),
    flips: int('flips').notNull(),
    runs: int('runs').notNull(),
    streak: int('streak').notNull(),
    failingSince: time('failing_since'),
  },
  (t) => [
    index('testmgmt_outcomes_last').on(t.projectId, t.lastStatus, t.testId),
    // Three flips include a failure, so this index serves `flaky`, too.
    index('testmgmt_outcomes_failed')
      .on(t.projectId, t.failed, t.flips, t.testId)
      .where(sql`failed > 0`),
  ],
);
