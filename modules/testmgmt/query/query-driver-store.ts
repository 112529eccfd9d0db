import { and, eq, gte, inArray, isNotNull, isNull, lte, or, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { flakyFlips } from '../outcomes/outcome.ts';
import { outcomes, runs, runTests, testLabels } from '../base/schema.ts';
import type { Condition, ConditionNode, Interval, Named } from './query-check.ts';
import type { QueryScope } from './query-fields.ts';
import { marksOfWord } from './query-marks.ts';
import { recordIds } from './query-record-store.ts';

/** Where a query is asked, and by whom. */
export interface QueryPlace {
  readonly scope: QueryScope;
  readonly projectId: number;
  readonly userId: number;
  /** Organizations whose members a person may be. */
  readonly orgIds: readonly number[];
  /** The condition that the rows are found by; all others are looked at row by row. */
  readonly driver?: Condition;
  /** The ids of the tests that are looked at, if not all are at once. */
  readonly range?: IdRange;
}

/** Ids after one, up to another. */
export interface IdRange {
  readonly after: SQL;
  readonly to: SQL;
}

export const inRange = (column: Column, { after, to }: IdRange): SQL =>
  sql`${column} > ${after} and ${column} <= ${to}`;

type Column = AnySQLiteColumn;

export const anyOf = (parts: ReadonlyArray<SQL | undefined>): SQL => or(...parts) ?? sql`false`;

export const within = (column: Column | SQL, { least, most }: Interval): SQL =>
  (least !== null && least === most ? eq(column as Column, least) : undefined) ??
  and(
    least === null ? undefined : gte(column as Column, least),
    most === null ? undefined : lte(column as Column, most),
  ) ??
  sql`true`;

/** Never null. */
export const flaky =
  and(isNotNull(outcomes.flips), gte(outcomes.flips, flakyFlips), sql`${outcomes.failed} > 0`) ?? sql`true`;
/** The index of failures serves it: who flips has failed. */
const flakyByIndex = and(sql`${outcomes.failed} > 0`, gte(outcomes.flips, flakyFlips));

/** Rows of tests in these runs, if they are runs of the project. */
export const ofRuns = (q: Query, any: readonly Named[], { projectId }: QueryPlace): SQL => {
  const ids = any.map(({ id }) => id ?? 0);
  const isLive = and(inArray(runs.id, ids), eq(runs.projectId, projectId), isNull(runs.deletedAt));
  return inArray(runTests.runId, q.select({ id: runs.id }).from(runs).where(isLive));
};

export const withLabels = (q: Query, any: readonly Named[], { projectId }: QueryPlace): SQL =>
  anyOf(any.map((one) => amongSelected(testLabels.labelId, recordIds(q, 'label', one, projectId))));

/** The ids of the tests that fit a condition of {@link driverOf}, by its own index. */
export function drivingRows(q: Query, condition: Condition, place: QueryPlace) {
  const ofOutcomes = (fits: SQL | undefined) =>
    q
      .select({ testId: outcomes.testId })
      .from(outcomes)
      .where(and(eq(outcomes.projectId, place.projectId), fits));
  if (condition.kind === 'record')
    return condition.list === 'run'
      ? q
          .select({ testId: runTests.testId })
          .from(runTests)
          .where(ofRuns(q, condition.any, place))
      : q
          .select({ testId: testLabels.testId })
          .from(testLabels)
          .where(withLabels(q, condition.any, place));
  if (condition.kind === 'words')
    return ofOutcomes(
      condition.field === 'flaky' ? flakyByIndex : inArray(sql`${outcomes.lastStatus}`, [...condition.any]),
    );
  if (condition.kind !== 'number') throw new Error(`${condition.kind} drives no query`);
  // The index holds only rows with failures, and SQLite does not conclude that from a bound value.
  const fits = anyOf(condition.any.map((interval) => within(outcomes.failed, interval)));
  return ofOutcomes(and(sql`${outcomes.failed} > 0`, fits));
}

/** Conditions that few tests fit, the fewest first. Each has an index by which its tests are found. */
const selective: ReadonlyArray<(condition: Condition) => boolean> = [
  (each) => each.kind === 'record' && each.field === 'in-run',
  (each) => each.kind === 'words' && each.field === 'flaky' && each.any.every((word) => word === 'yes'),
  (each) =>
    each.kind === 'number' &&
    each.field === 'failed' &&
    each.window === undefined &&
    each.any.every(({ least }) => (least ?? 0) > 0),
  (each) =>
    each.kind === 'words' &&
    each.field === 'last' &&
    !each.any.some((word) => word === 'none' || word === 'passed'),
  (each) => each.kind === 'record' && each.field === 'label' && !each.none,
];

/** The conditions that every row fits. */
function required(where: ConditionNode | null): readonly Condition[] {
  const nodes = where?.kind === 'and' ? where.nodes : where === null ? [] : [where];
  return nodes.flatMap((node) => (node.kind === 'condition' ? [node.condition] : []));
}

/** The longest word that all rows of a query contain, if tests are found by its marks. A number may also be the id of a test. */
export function wordOf(where: ConditionNode | null): Condition | undefined {
  const words = required(where).filter(
    (each) =>
      each.kind === 'search' && !/^\d+$/.test(each.word) && marksOfWord(each.word).some((marks) => marks > 0),
  );
  const length = (each: Condition) => (each.kind === 'search' ? each.word.length : 0);
  return words.toSorted((a, b) => length(b) - length(a))[0];
}

/** The condition by whose index the rows of a query are found: one that all of them fit. */
export function driverOf(where: ConditionNode | null): Condition | undefined {
  const conditions = required(where);
  for (const isSelective of selective) {
    const found = conditions.find(isSelective);
    if (found) return found;
  }
  return undefined;
}
