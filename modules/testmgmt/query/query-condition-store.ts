import { and, eq, exists, inArray, isNotNull, isNull, not, or, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected, lowerAscii } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { membersByEmail } from '../../auth/index.ts';
import { outcomes, runs, runTests, testLabels, tests } from '../base/schema.ts';
import { everyClassification, idFieldOf } from '../rules/classification.ts';
import type { Condition, ConditionNode, Interval, Named, SortKey } from './query-check.ts';
import {
  anyOf,
  drivingRows,
  flaky,
  inRange,
  ofRuns,
  within,
  withLabels,
  type QueryPlace,
} from './query-driver-store.ts';
import type { QueryScope } from './query-fields.ts';
import { recordIds, sectionsBelow } from './query-record-store.ts';
import { lastDuration, textFits } from './query-pipeline-store.ts';
import { countedWithin } from './query-window-store.ts';
import { search } from './query-text-store.ts';

type Column = AnySQLiteColumn;

/**
 * The SQL of a checked query, over the tables of query-source-store.ts: true for the rows that it chooses. All values are bound.
 * Negations stand at the conditions: what is not negated may be null for a test without results, which chooses no row either, and
 * PostgreSQL finds `last_status = 'failed'` by its index.
 */
export function conditionSql(q: Query, node: ConditionNode, place: QueryPlace, negated = false): SQL {
  switch (node.kind) {
    case 'condition': {
      const fits = oneCondition(q, node.condition, place, negated);
      return negated ? not(fits) : fits;
    }
    case 'not':
      return conditionSql(q, node.node, place, !negated);
    default: {
      const parts = node.nodes.map((each) => conditionSql(q, each, place, negated));
      return ((node.kind === 'and') !== negated ? and(...parts) : or(...parts)) ?? sql`true`;
    }
  }
}

function oneCondition(q: Query, condition: Condition, place: QueryPlace, negated: boolean): SQL {
  if (condition === place.driver && condition.kind !== 'search')
    return inArray(tests.id, drivingRows(q, condition, place) as never);
  switch (condition.kind) {
    case 'search':
      return search(condition.word, place, condition === place.driver);
    case 'text':
      return anyOf(condition.any.map((text) => textFits(q, { ...condition, text }, place)));
    case 'number':
    case 'date':
    case 'duration':
      return numeric(q, condition, place, negated);
    case 'words':
      return wordsFit(q, condition, negated);
    case 'person':
      return personFits(q, condition, place);
    case 'record':
      return recordFits(q, condition, place);
  }
}

type Numeric = Extract<Condition, { kind: 'number' | 'date' | 'duration' }>;

function numeric(q: Query, { field, any, none, window }: Numeric, place: QueryPlace, negated: boolean): SQL {
  if (window) return countedWithin(q, { field, any, window }, place);
  const fits = (column: Column | SQL) => anyOf(any.map((interval) => within(column, interval)));
  const isRun = place.scope === 'runs';
  switch (field) {
    case 'id':
      return fits(isRun ? runs.id : tests.id);
    case 'created':
      return fits(isRun ? runs.createdAt : tests.createdAt);
    case 'updated':
      return fits(tests.updatedAt);
    case 'progress':
      return anyOf(any.map(progressWithin));
    case 'last-run':
      return orNone(outcomes.lastAt, any.length === 0 ? [] : [fits(outcomes.lastAt)], none);
    case 'duration': {
      const taken = lastDuration(place);
      return orNone(taken, any.length === 0 ? [] : [fits(taken)], none);
    }
    case 'failed':
      return countFits(outcomes.failed, any, negated);
    case 'passed':
      return countFits(passedRecently as unknown as Column, any, negated);
    case 'runs':
      return countFits(outcomes.runs, any, negated);
    default:
      throw new Error(`no condition for the field ${field}`);
  }
}

/** Without fractions: percent × total ≤ 100 × done. A run without tests has made no progress. */
function progressWithin({ least, most }: Interval): SQL {
  const done = sql`(${runs.passed} + ${runs.failed} + ${runs.blocked})`;
  const total = sql`(${done} + ${runs.retest} + ${runs.untested})`;
  const empty = sql`${total} = 0`;
  const zeroFits = (least ?? 0) <= 0 && (most ?? 0) >= 0;
  const some = and(
    sql`${total} > 0`,
    least === null ? undefined : sql`100 * ${done} >= ${least} * ${total}`,
    most === null ? undefined : sql`100 * ${done} <= ${most} * ${total}`,
  );
  return zeroFits ? anyOf([some, empty]) : (some ?? sql`true`);
}

/**
 * A condition on outcomes, of which a test may have none. Negated it must not be null. Not by coalesce: PostgreSQL has no statistics for
 * that, took 75,000 rows for 250 and joined them one by one.
 */
const orWithout = (column: Column, fits: SQL, withoutFits: boolean, negated: boolean): SQL =>
  withoutFits ? anyOf([isNull(column), fits]) : ((negated ? and(isNotNull(column), fits) : fits) ?? fits);

/** `recent` has a p for a pass; a P is one, too. */
const passedRecently = sql`(length(${outcomes.recent}) - length(replace(lower(${outcomes.recent}), 'p', '')))`;

/** A count of outcomes; a test without a row has 0. */
const countFits = (column: Column, any: readonly Interval[], negated: boolean): SQL =>
  orWithout(
    column,
    anyOf(any.map((interval) => within(column, interval))),
    any.some(({ least, most }) => (least ?? 0) <= 0 && (most ?? 0) >= 0),
    negated,
  );

function wordsFit(q: Query, { field, any }: Extract<Condition, { kind: 'words' }>, negated: boolean): SQL {
  if (field !== 'last') return anyOf(any.map((word) => wordFits(q, field, word)));
  const statuses = any.filter((word) => word !== 'none');
  const fits = statuses.length === 0 ? sql`false` : inArray(sql`${outcomes.lastStatus}`, statuses);
  return orWithout(outcomes.lastStatus, fits, statuses.length < any.length, negated);
}

function wordFits(q: Query, field: string, word: string): SQL {
  switch (`${field}:${word}`) {
    // As in the index testmgmt_tests_filter: compared with true, SQLite takes it from there.
    case 'has:steps':
      return sql`(${tests.steps} <> '[]') = true`;
    case 'has:description':
      return sql`(${tests.description} <> '') = true`;
    case 'has:section':
      return isNotNull(tests.sectionId);
    case 'has:squad':
      return isNotNull(tests.squadId);
    case 'has:label':
      return hasLabel(q);
    case 'has:failed':
      return sql`${runs.failed} > 0`;
    case 'is:deleted':
      return isNotNull(tests.deletedAt);
    case 'flaky:yes':
      return flaky;
    case 'flaky:no':
      return not(flaky);
    case 'status:active':
      return isNull(runs.lockedAt);
    case 'status:locked':
      return isNotNull(runs.lockedAt);
    default:
      if (field === 'status') return eq(sql`${runTests.status}`, word);
      throw new Error(`no condition for ${field}:${word}`);
  }
}

const hasLabel = (q: Query): SQL =>
  exists(
    q
      .select({ one: sql`1` })
      .from(testLabels)
      .where(eq(testLabels.testId, tests.id)),
  );

/**
 * Whether the test is in another table with rows that fit. SQLite lists these rows once for the tests that are looked at, which takes
 * half the time of a look for each test.
 */
function belongsTo(
  q: Query,
  table: typeof testLabels | typeof runTests,
  fits: SQL | undefined,
  { range }: QueryPlace,
): SQL {
  const testId = table.testId;
  const rows = q.select({ testId: sql`${testId}` }).from(table as typeof testLabels);
  if (!range) return exists(rows.where(and(eq(testId, tests.id), fits)));
  return sql`${tests.id} in ${rows.where(and(inRange(testId, range), fits))}`;
}

function personFits(q: Query, condition: Extract<Condition, { kind: 'person' }>, place: QueryPlace): SQL {
  const column = {
    'created-by': place.scope === 'runs' ? runs.createdBy : tests.createdBy,
    'updated-by': tests.updatedBy,
    by: runTests.updatedBy,
  }[condition.field];
  if (!column) throw new Error(`no condition for the field ${condition.field}`);
  return orNone(
    column,
    condition.any.map((person) => isPerson(q, column, person, place)),
    condition.none,
  );
}

function isPerson(q: Query, column: Column, { text, id }: Named, place: QueryPlace): SQL {
  const { userId, orgIds } = place;
  if (text.toLowerCase() === 'me') return eq(column, userId);
  return id === null ? amongSelected(column, membersByEmail(q, orgIds, text)) : eq(column, id);
}

/** A column that may be null fits nothing then, and that is no unknown: its negation fits. */
const orNone = (column: Column | SQL, any: readonly SQL[], none: boolean): SQL =>
  none ? anyOf([...any, isNull(column)]) : (and(isNotNull(column), anyOf(any)) ?? sql`true`);

function recordFits(q: Query, condition: Extract<Condition, { kind: 'record' }>, place: QueryPlace): SQL {
  const { list, any, none, alone } = condition;
  if (list === 'run') {
    const failed = condition.field === 'failed-in' ? eq(runTests.status, 'failed') : undefined;
    const inRun = belongsTo(q, runTests, and(ofRuns(q, any, place), failed), place);
    return condition.field === 'not-in-run' ? not(inRun) : inRun;
  }
  if (list === 'label')
    return anyOf([
      any.length === 0 ? undefined : belongsTo(q, testLabels, withLabels(q, any, place), place),
      none ? not(hasLabel(q)) : undefined,
    ]);
  const kind = everyClassification.find((each) => each === list);
  const column = kind ? tests[idFieldOf(kind)] : list === 'section' ? tests.sectionId : tests.squadId;
  const ids = any.map((one) => recordIds(q, list, one, place.projectId));
  const chosen = list === 'section' && !alone ? ids.map((each) => sectionsBelow(each)) : ids;
  return orNone(
    column,
    chosen.map((each) => amongSelected(column, each)),
    none,
  );
}

/** The value that a sort compares. `optional`: it may be null, which sorts last. */
export function sortValue({ field }: SortKey, scope: QueryScope): { value: SQL; optional: boolean } {
  const isRun = scope === 'runs';
  const always = (value: SQL) => ({ value, optional: false });
  switch (field) {
    case 'id':
      return always(sql`${isRun ? runs.id : tests.id}`);
    case 'name':
      return always(lowerAscii(isRun ? runs.name : tests.name));
    case 'created':
      return always(sql`${runs.createdAt}`);
    case 'updated':
      return always(sql`${tests.updatedAt}`);
    case 'last-run':
      return { value: sql`${outcomes.lastAt}`, optional: true };
    case 'failed':
      return always(sql`coalesce(${outcomes.failed}, 0)`);
    case 'priority':
      return {
        value: sql`(select position from testmgmt_options where id = ${tests.priorityId})`,
        optional: true,
      };
    default:
      throw new Error(`no order by the field ${field}`);
  }
}
