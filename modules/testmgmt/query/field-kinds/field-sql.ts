import type { SQL, SQLWrapper, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { LinkKind } from '../../base/evidence-schema.ts';
import type {
  automationKeys,
  reportedResults,
  runSources,
  unmatchedResults,
} from '../../base/pipeline-schema.ts';
import type { runConfigurations } from '../../base/planning-schema.ts';
import type { outcomes, runs, runTests, testLabels, tests } from '../../base/schema.ts';
import type { TestStatus } from '../../rules/test-status.ts';
import type { Interval, Named, NamedList, QueryScope } from './field-value.ts';

/*
 * The tools with which a field writes its SQL. They are passed as an argument, made by query-sql-store.ts: the console completes queries in
 * the browser with the same fields, where no database is loaded.
 */

export type SqlValue = AnySQLiteColumn | SQL;

/** An interval of numbers, or of days as texts; what is absent is open. */
export interface OwnInterval {
  readonly from?: number | string;
  readonly to?: number | string;
  readonly above?: number | string;
  readonly below?: number | string;
}

/** A way to read a value that a query gives for an own field of the project. */
export interface OwnValue {
  readonly between?: OwnInterval;
  readonly truth?: boolean;
  readonly text?: string;
  /** The whole text, where a part is enough otherwise. */
  readonly isWhole?: boolean;
  readonly person?: Named;
}

/** The tables of a query. */
export interface RowSql {
  readonly scope: QueryScope;
  readonly sql: typeof sql;
  /** The table of the selected rows: tests (also for tests of a run) or runs. */
  readonly rows: typeof tests | typeof runs;
  readonly tests: typeof tests;
  readonly runs: typeof runs;
  /** Joined only for the tests of a run. */
  readonly runTests: typeof runTests;
  readonly runConfigurations: typeof runConfigurations;
  readonly testLabels: typeof testLabels;
  readonly automationKeys: typeof automationKeys;
  readonly runSources: typeof runSources;
  readonly reportedResults: typeof reportedResults;
  readonly unmatchedResults: typeof unmatchedResults;
  /** What `sort:` compares of an own field: of numbers, then of texts. */
  ownOrder(key: string): readonly SQL[];
  /** A text with A to Z in lower case. */
  lower(text: SqlValue): SQL;
}

/** Adds the summary of a test's results, which is joined for the fields with `readsOutcomes`. */
export interface WithOutcomes {
  readonly outcomes: typeof outcomes;
}

export interface FieldSql extends RowSql {
  anyOf(parts: ReadonlyArray<SQL | undefined>): SQL;
  within(value: SqlValue, any: readonly Interval[]): SQL;
  /** A null value does not match, instead of being unknown, so its negation matches. */
  orNone(value: SqlValue, any: readonly SQL[], none: boolean): SQL;
  /** A condition on a column of outcomes; `withoutFits`: a test without a row matches, too. */
  orWithout(column: SqlValue, fits: SQL, withoutFits: boolean, negated: boolean): SQL;
  /** Whether a window of time contains the required number of results: of a status, or of all runs. */
  countedWithin(status: 'passed' | 'failed' | 'any', any: readonly Interval[], window: Interval): SQL;
  /** Whether a text contains a part, or equals the text, ignoring case. */
  hasText(column: SqlValue, text: string, whole: boolean): SQL;
  /** Whether a text begins with another, ignoring case. */
  beginsWith(column: SqlValue, text: string): SQL;
  isPerson(column: SqlValue, person: Named): SQL;
  /** The value of an own field of the test; in a run, of its result, too. */
  ownField(key: string): { readonly isThere: SQL; fits(any: readonly OwnValue[], none: boolean): SQL };
  /** Who is to run a test of a run; null for nobody, and for somebody who has left the organization. */
  assignee(): SQL;
  /** The ids of the records that a name refers to. */
  idsOf(list: Exclude<NamedList, 'run'>, name: Named): SQLWrapper;
  /** Whether the test is in a section, or below it. */
  isInSection(name: Named, alone: boolean): SQL;
  among(column: SqlValue, ids: SQLWrapper): SQL;
  /** Whether a row of a test in a run belongs to one of these runs of the project. */
  ofRuns(names: readonly Named[]): SQL;
  ofLabels(names: readonly Named[]): SQL;
  /** Whether the test is in one of these runs, optionally with a status. */
  isInRun(names: readonly Named[], status?: TestStatus): SQL;
  /** Whether the test has one of these labels, or any label. */
  hasLabel(names?: readonly Named[]): SQL;
  /** Whether the test has a link of a kind, with one of these keys (`nameKey`) or any. */
  hasLink(kind: LinkKind, keys?: readonly string[]): SQL;
  /** Whether a file is attached to the test; in a run, to the test or to its result there. */
  hasAttachment(): SQL;
  isQuarantined(): SQL;
  /** Whether the test fails with a message of one of these groups: in the run, or in its last run. */
  failsWith(groups: readonly string[]): SQL;
  /** The ids of the project's tests whose outcomes match. */
  testsByOutcome(fits: SQL): SQL;
}
