import type { SQL, SQLWrapper, sql } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { automationKeys, reportedResults, runSources } from '../../base/pipeline-schema.ts';
import type { outcomes, runs, runTests, testLabels, tests } from '../../base/schema.ts';
import type { TestStatus } from '../../rules/test-status.ts';
import type { Interval, Named, NamedList, QueryScope } from './field-value.ts';

/*
 * What a field writes its SQL with. It is an argument, made by query-sql-store.ts: the console completes queries in the browser by the
 * same fields, where no database is loaded.
 */

export type SqlValue = AnySQLiteColumn | SQL;

/** The tables of a query. */
export interface RowSql {
  readonly scope: QueryScope;
  readonly sql: typeof sql;
  /** The table of the rows that are chosen: tests, also those of a run, or runs. */
  readonly rows: typeof tests | typeof runs;
  readonly tests: typeof tests;
  readonly runs: typeof runs;
  /** Only joined for the tests of a run. */
  readonly runTests: typeof runTests;
  readonly testLabels: typeof testLabels;
  readonly automationKeys: typeof automationKeys;
  readonly runSources: typeof runSources;
  readonly reportedResults: typeof reportedResults;
  /** A text with A to Z as small letters. */
  lower(text: SqlValue): SQL;
}

/** Also what the results of a test amount to, which is joined for the fields that say `readsOutcomes`. */
export interface WithOutcomes {
  readonly outcomes: typeof outcomes;
}

export interface FieldSql extends RowSql {
  anyOf(parts: ReadonlyArray<SQL | undefined>): SQL;
  within(value: SqlValue, any: readonly Interval[]): SQL;
  /** A value that may be null fits nothing then, and that is no unknown: its negation fits. */
  orNone(value: SqlValue, any: readonly SQL[], none: boolean): SQL;
  /** A condition on a column of outcomes; `withoutFits`: a test without a row fits, too. */
  orWithout(column: SqlValue, fits: SQL, withoutFits: boolean, negated: boolean): SQL;
  /** Whether as many results as asked are in a window of time: of a status, or of all runs. */
  countedWithin(status: 'passed' | 'failed' | 'any', any: readonly Interval[], window: Interval): SQL;
  /** Whether a text has a part, or is the whole text, whatever the case. */
  hasText(column: SqlValue, text: string, whole: boolean): SQL;
  /** Whether a text begins with another, whatever the case. */
  beginsWith(column: SqlValue, text: string): SQL;
  isPerson(column: AnySQLiteColumn, person: Named): SQL;
  /** The ids of the records that a name means. */
  idsOf(list: Exclude<NamedList, 'run'>, name: Named): SQLWrapper;
  sectionsBelow(ids: SQLWrapper): SQL;
  among(column: AnySQLiteColumn, ids: SQLWrapper): SQL;
  /** Whether a row of a test in runs is one of these runs, and they are runs of the project. */
  ofRuns(names: readonly Named[]): SQL;
  ofLabels(names: readonly Named[]): SQL;
  /** Whether the test is in one of these runs, with a status. */
  isInRun(names: readonly Named[], status?: TestStatus): SQL;
  /** Whether the test has one of these labels, or any label. */
  hasLabel(names?: readonly Named[]): SQL;
  /** The ids of the tests of the project whose outcomes fit. */
  testsByOutcome(fits: SQL): SQL;
}
