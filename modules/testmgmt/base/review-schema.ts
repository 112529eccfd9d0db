import { bool, id, index, int, json, table, text, time } from '../../../core/db/query/columns.ts';
import type { ProposedFields, ReviewState, Verdict } from '../rules/review-mode.ts';
import { projects, tests } from './schema.ts';

/** Proposed changes of tests, and proposed new tests. */
export const reviews = table(
  'testmgmt_reviews',
  {
    id: id('id'),
    projectId: int('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /** Null: a new test. The merge sets it. */
    testId: int('test_id').references(() => tests.id, { onDelete: 'cascade' }),
    /** The version of the test that the proposal started from; 0 for a new test. */
    baseVersion: int('base_version').notNull(),
    /** The proposed fields by parameter name. */
    set: json<ProposedFields>('set').notNull(),
    /** Of what is proposed (`proposalHash`). */
    hash: text('hash').notNull(),
    state: text('state').$type<ReviewState>().notNull(),
    comment: text('comment').notNull(),
    /** The ids of those who were asked; empty: anybody. */
    reviewers: json<readonly number[]>('reviewers').notNull(),
    authorId: int('author_id').notNull(),
    /** Where the proposal came from, e.g. `mcp`. */
    surface: text('surface').notNull(),
    /** The program of an agent, by its own word. */
    client: text('client'),
    /** The test is to be deleted; then `set` is empty. */
    deletes: bool('deletes').notNull().default(false),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    closedBy: int('closed_by'),
    closedAt: time('closed_at'),
  },
  (t) => [
    index('testmgmt_reviews_page').on(t.projectId, t.state, t.id),
    index('testmgmt_reviews_all').on(t.projectId, t.id),
    index('testmgmt_reviews_test').on(t.testId, t.id),
  ],
);

/** What people said of a proposal, oldest first. */
export const reviewVerdicts = table(
  'testmgmt_review_verdicts',
  {
    id: id('id'),
    reviewId: int('review_id')
      .notNull()
      .references(() => reviews.id, { onDelete: 'cascade' }),
    userId: int('user_id').notNull(),
    verdict: text('verdict').$type<Verdict>().notNull(),
    comment: text('comment').notNull(),
    /** The proposal that it is about. */
    hash: text('hash').notNull(),
    at: time('at').notNull(),
  },
  (t) => [index('testmgmt_review_verdicts_review').on(t.reviewId, t.id)],
);
