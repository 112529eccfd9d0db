import {
  and,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected, positionIn, unindexed } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { membersByEmail } from '../../auth/index.ts';
import { outcomes, runs, runTests, testLabels, tests } from '../schema.ts';
import { everyClassification, idFieldOf } from '../rules/classification.ts';
import type { Condition, ConditionNode, Interval, Named, SortKey } from './query-check.ts';
import {
  anyOf,
  drivingRows,
  flaky,
  ofRuns,
  within,
  withLabels,
  type QueryPlace,
} from './query-driver-store.ts';
import type { QueryScope } from './query-fields.ts';
import { recordIds, sectionsBelow } from './query-record-store.ts';

type Column = AnySQLiteColumn;

/** The SQL of a checked query: true for the rows that it chooses. All values are bound. */
export function conditionSql(q: Query, node: ConditionNode, place: QueryPlace): SQL {
  switch (node.kind) {
    case 'condition':
      return oneCondition(q, node.condition, place);
    case 'not':
      return not(conditionSql(q, node.node, place));
    default: {
      const parts = node.nodes.map((each) => conditionSql(q, each, place));
      return (node.kind === 'and' ? and(...parts) : or(...parts)) ?? sql`true`;
    }
  }
}

function oneCondition(q: Query, condition: Condition, place: QueryPlace): SQL {
  if (condition === place.driver) return inArray(tests.id, drivingRows(q, condition, place) as never);
  switch (condition.kind) {
    case 'search':
      return search(condition.word, place);
    case 'text':
      return anyOf(condition.any.map((text) => nameFits(text, condition.whole, place)));
    case 'number':
    case 'date':
      return numeric(q, condition, place);
    case 'words':
      return wordsFit(q, condition.field, condition.any);
    case 'person':
      return personFits(q, condition, place);
    case 'record':
      return recordFits(q, condition, place);
  }
}

const lower = (text: SQL | Column | string): SQL => sql`lower(${text})`;
const contains = (column: Column | SQL, part: string): SQL =>
  sql`${positionIn(lower(column), lower(sql`${part}`))} > 0`;

const nameOf = ({ scope }: QueryPlace) => (scope === 'runs' ? runs.name : tests.name);

const nameFits = (text: string, whole: boolean, place: QueryPlace): SQL =>
  whole ? eq(lower(nameOf(place)), lower(sql`${text}`)) : contains(nameOf(place), text);

/** The texts of steps as they are stored: their keys are taken out, so that "action" does not find every test with steps. */
const stepTexts = sql`replace(replace(replace(${tests.steps}, '"action":', ''), '"data":', ''), '"expected":', '')`;

/** A text as it stands within stored JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function search(word: string, place: QueryPlace): SQL {
  const id = /^\d{1,15}$/.test(word) ? Number(word) : null;
  if (place.scope === 'runs')
    return anyOf([
      contains(runs.name, word),
      contains(runs.description, word),
      ...(id === null ? [] : [eq(runs.id, id)]),
    ]);
  return anyOf([
    contains(tests.name, word),
    contains(tests.description, word),
    contains(stepTexts, inJson(word)),
    ...(id === null ? [] : [eq(tests.id, id)]),
  ]);
}

type Numeric = Extract<Condition, { kind: 'number' | 'date' }>;

function numeric(q: Query, { field, any, none }: Numeric, place: QueryPlace): SQL {
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
      return anyOf([
        any.length === 0 ? undefined : outcomeFits(q, fits(outcomes.lastAt)),
        none ? not(outcomeFits(q)) : undefined,
      ]);
    case 'failed':
      return countFits(q, outcomes.failed, any);
    case 'runs':
      return countFits(q, outcomes.runs, any);
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

/** Whether the outcome of a test fits; without a condition, whether it has one. */
const outcomeFits = (q: Query, fits?: SQL): SQL => exists(rowOf(q, outcomes, outcomes.testId, fits));

/** The rows of another table that belong to the test and fit. */
const rowOf = (
  q: Query,
  table: typeof outcomes | typeof testLabels | typeof runTests,
  testId: Column,
  fits: SQL | undefined,
) =>
  q
    .select({ one: sql`1` })
    .from(table as typeof outcomes)
    .where(and(eq(testId, tests.id), fits));

/** A count of outcomes; a test without a row has 0. */
function countFits(q: Query, column: Column, any: readonly Interval[]): SQL {
  const zeroFits = any.some(({ least, most }) => (least ?? 0) <= 0 && (most ?? 0) >= 0);
  const fits = anyOf(any.map((interval) => within(column, interval)));
  return zeroFits ? not(outcomeFits(q, not(fits))) : outcomeFits(q, fits);
}

function wordsFit(q: Query, field: string, any: readonly string[]): SQL {
  if (field !== 'last') return anyOf(any.map((word) => wordFits(q, field, word)));
  const statuses = any.filter((word) => word !== 'none');
  return anyOf([
    statuses.length === 0 ? undefined : outcomeFits(q, inArray(sql`${outcomes.lastStatus}`, statuses)),
    statuses.length < any.length ? not(outcomeFits(q)) : undefined,
  ]);
}

function wordFits(q: Query, field: string, word: string): SQL {
  switch (`${field}:${word}`) {
    case 'has:steps':
      return sql`${tests.steps} <> '[]'`;
    case 'has:description':
      return sql`${tests.description} <> ''`;
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
      return outcomeFits(q, flaky);
    case 'flaky:no':
      return not(outcomeFits(q, flaky));
    case 'status:active':
      return isNull(runs.lockedAt);
    case 'status:locked':
      return isNotNull(runs.lockedAt);
    default:
      if (field === 'status') return eq(sql`${runTests.status}`, word);
      throw new Error(`no condition for ${field}:${word}`);
  }
}

const hasLabel = (q: Query): SQL => exists(rowOf(q, testLabels, testLabels.testId, undefined));

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
  return id === null ? amongIds(column, membersByEmail(q, orgIds, text), place) : eq(column, id);
}

/** Beside a condition that drives the query no index of the tests is used. */
const amongIds = (column: Column, ids: SQLWrapper, { driver }: QueryPlace): SQL =>
  amongSelected(driver === undefined ? column : (unindexed(column) as never), ids);

/** A column that may be null fits nothing then, and that is no unknown: its negation fits. */
const orNone = (column: Column, any: readonly SQL[], none: boolean): SQL =>
  none ? anyOf([...any, isNull(column)]) : (and(isNotNull(column), anyOf(any)) ?? sql`true`);

function recordFits(q: Query, condition: Extract<Condition, { kind: 'record' }>, place: QueryPlace): SQL {
  const { list, any, none, alone } = condition;
  if (list === 'run') {
    const inRun = exists(rowOf(q, runTests, runTests.testId, ofRuns(q, any, place)));
    return condition.field === 'in-run' ? inRun : not(inRun);
  }
  if (list === 'label')
    return anyOf([
      any.length === 0
        ? undefined
        : exists(rowOf(q, testLabels, testLabels.testId, withLabels(q, any, place))),
      none ? not(hasLabel(q)) : undefined,
    ]);
  const kind = everyClassification.find((each) => each === list);
  const column = kind ? tests[idFieldOf(kind)] : list === 'section' ? tests.sectionId : tests.squadId;
  const ids = any.map((one) => recordIds(q, list, one, place.projectId));
  const chosen = list === 'section' && !alone ? ids.map((each) => sectionsBelow(each)) : ids;
  return orNone(
    column,
    chosen.map((each) => amongIds(column, each, place)),
    none,
  );
}

/** The value that a sort compares; null sorts last. */
export function sortValue({ field }: SortKey, scope: QueryScope): SQL {
  const ofOutcome = (column: Column) =>
    sql`(select ${column} from ${outcomes} where ${outcomes.testId} = ${tests.id})`;
  const isRun = scope === 'runs';
  switch (field) {
    case 'id':
      return sql`${isRun ? runs.id : tests.id}`;
    case 'name':
      return lower(isRun ? runs.name : tests.name);
    case 'created':
      return sql`${runs.createdAt}`;
    case 'updated':
      return sql`${tests.updatedAt}`;
    case 'last-run':
      return ofOutcome(outcomes.lastAt);
    case 'failed':
      return sql`coalesce(${ofOutcome(outcomes.failed)}, 0)`;
    case 'priority':
      return sql`(select position from testmgmt_options where id = ${tests.priorityId})`;
    default:
      throw new Error(`no order by the field ${field}`);
  }
}
