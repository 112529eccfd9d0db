import { and, eq, exists, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected, inValues, lowerAscii, positionIn } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { isMember } from '../../auth/index.ts';
import { automationKeys, reportedResults, runSources, unmatchedResults } from '../base/pipeline-schema.ts';
import { runConfigurations } from '../base/planning-schema.ts';
import { labels, outcomes, runs, runTests, testLabels, tests } from '../base/schema.ts';
import { labelsThen } from '../versions/as-of-store.ts';
import type { FieldSql, RowSql, SqlValue, WithOutcomes } from './field-kinds/field-sql.ts';
import type { Named } from './field-kinds/field-value.ts';
import { failsWith, hasAttachment, hasLink, isQuarantined } from './query-evidence-store.ts';
import {
  anyOf,
  inRange,
  nameOfSection,
  organizationSql,
  peopleCalled,
  within,
  type QueryPlace,
} from './query-place-store.ts';
import { ownFieldSql, ownOrder } from './query-own-field-store.ts';
import { recordIds, sectionIds, sectionsBelow } from './query-record-store.ts';
import { beginsWith, hasText } from './query-text-store.ts';
import { countedWithin } from './query-window-store.ts';

/** The tables that a field compares or sorts by. */
export const rowSql = ({
  scope,
  projectId,
}: Pick<QueryPlace, 'scope' | 'projectId'>): RowSql & WithOutcomes => ({
  scope,
  sql,
  rows: scope === 'runs' ? runs : tests,
  tests,
  runs,
  runTests,
  runConfigurations,
  testLabels,
  outcomes,
  automationKeys,
  runSources,
  reportedResults,
  unmatchedResults,
  ownOrder: (key) => ownOrder({ scope, projectId }, key),
  lower: lowerAscii,
});

/** The tools with which the fields of a query write their SQL, in its context. All values are bound. */
export function fieldSql(q: Query, place: QueryPlace): FieldSql & WithOutcomes {
  const { projectId, actor } = place;
  const ofRuns = (names: readonly Named[]) => {
    const ids = names.map(({ id }) => id ?? 0);
    const isLive = and(inArray(runs.id, ids), eq(runs.projectId, projectId), isNull(runs.deletedAt));
    return inArray(runTests.runId, q.select({ id: runs.id }).from(runs).where(isLive));
  };
  const ofLabels = (names: readonly Named[]) =>
    anyOf(names.map((one) => amongSelected(testLabels.labelId, recordIds(q, 'label', one, projectId))));
  return {
    ...rowSql(place),
    anyOf,
    within,
    orNone,
    orWithout,
    countedWithin: (status, any, window) => countedWithin(q, { status, any, window }, place),
    hasText,
    beginsWith,
    isPerson: (value, { text, id }) => {
      const column = value as AnySQLiteColumn;
      if (text.toLowerCase() === 'me') return eq(column, actor.userId);
      return id === null ? amongSelected(column, peopleCalled(q, place, text)) : eq(column, id);
    },
    ownField: (key) => ownFieldSql(q, place, key),
    assignee: () =>
      sql`(case when ${isMember(organizationSql(projectId), runTests.assigneeId)} then ${runTests.assigneeId} end)`,
    idsOf: (list, name) => recordIds(q, list, name, projectId),
    isInSection: (name, alone) => {
      if (place.asOf !== undefined) {
        const then = place.sectionsThen?.get(nameOfSection(name));
        if (!then) throw new Error('a query as of a time whose sections were not looked up');
        return inValues(tests.sectionId, alone ? then.itself : then.below);
      }
      const ids = sectionIds(name, projectId);
      return amongSelected(tests.sectionId, alone ? ids : sectionsBelow(ids, projectId));
    },
    among: amongSelected,
    ofRuns,
    ofLabels,
    isInRun: (names, status) => {
      const hasStatus = status && eq(runTests.status, status);
      return belongsTo(q, runTests, and(ofRuns(names), hasStatus), place.range);
    },
    hasLabel: (names) =>
      place.asOf !== undefined
        ? hadLabel(q, names, place)
        : belongsTo(q, testLabels, names && ofLabels(names), names && place.range),
    hasLink: (kind, keys) => hasLink(place, kind, keys),
    hasAttachment: () => hasAttachment(place),
    isQuarantined: () => isQuarantined(q, place),
    failsWith: (groups) => failsWith(q, place, groups),
    testsByOutcome: (fits) =>
      sql`select ${outcomes.testId} from ${outcomes} where ${outcomes.projectId} = ${projectId} and ${fits}`,
  };
}

/** Whether the test had one of these labels then, or any label. */
const hadLabel = (q: Query, names: readonly Named[] | undefined, { projectId }: QueryPlace): SQL => {
  if (!names) return sql`${labelsThen} <> ','`;
  const isOne = anyOf(names.map((one) => amongSelected(labels.id, recordIds(q, 'label', one, projectId))));
  const isOfTest = sql`${positionIn(labelsThen, sql`',' || cast(${labels.id} as text) || ','`)} > 0`;
  return sql`exists (select 1 from ${labels} where ${and(isOne, isOfTest)})`;
};

const orNone = (value: SqlValue, any: readonly SQL[], none: boolean): SQL =>
  none ? anyOf([...any, isNull(value)]) : (and(isNotNull(value), anyOf(any)) ?? sql`true`);

/** Not by coalesce: PostgreSQL has no statistics for it, assumed 75,000 rows instead of 250 and joined them one by one. */
const orWithout = (column: SqlValue, fits: SQL, withoutFits: boolean, negated: boolean): SQL =>
  withoutFits ? anyOf([isNull(column), fits]) : ((negated ? and(isNotNull(column), fits) : fits) ?? fits);

/**
 * Whether another table has matching rows for the test. SQLite lists these rows once for all examined tests, which takes half the time of a
 * search per test.
 */
function belongsTo(
  q: Query,
  table: typeof testLabels | typeof runTests,
  fits: SQL | undefined,
  range: QueryPlace['range'],
): SQL {
  const testId = table.testId;
  const rows = q.select({ testId: sql`${testId}` }).from(table as typeof testLabels);
  if (!range) return exists(rows.where(and(eq(testId, tests.id), fits)));
  return sql`${tests.id} in ${rows.where(and(inRange(testId, range), fits))}`;
}
