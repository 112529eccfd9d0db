import type { SQL } from 'drizzle-orm';
import type { FieldSql } from '../field-kinds/field-sql.ts';
import { ofTests, type Named } from '../field-kinds/field-value.ts';
import { comparedIfSet, dateField, durationField } from '../field-kinds/interval-field.ts';
import { hasRecord, peopleField, recordField } from '../field-kinds/record-field.ts';

/**
 * A person is compared with the column itself, which has an index. `orNone` leaves out those who are no members any more: they count as nobody.
 */
const isAssigned = (sql: FieldSql, any: readonly Named[], none: boolean): SQL =>
  sql.orNone(
    sql.assignee(),
    any.map((person) => sql.isPerson(sql.runTests.assigneeId, person)),
    none,
  );

/** In a query for runs: at least one of its tests. */
export const assigned = peopleField({
  name: 'assigned',
  alsoCalled: ['assignee', 'assigned-to'],
  scopes: ['run-tests', 'runs'],
  optional: true,
  named: true,
  about: 'Who is to run the test in this run; of a run, one of its tests.',
  example: 'assigned:me',
  fits: (sql, { any, none }) =>
    sql.scope === 'runs'
      ? sql.sql`exists (select 1 from ${sql.runTests}
          where ${sql.runTests.runId} = ${sql.runs.id} and ${isAssigned(sql, any, none)})`
      : isAssigned(sql, any, none),
});

/** Unlike `assigned`, only tests that still need a result, and can get one: as get-workload counts. */
export const toDo = peopleField({
  name: 'todo',
  alsoCalled: ['to-do', 'open-for'],
  scopes: ['runs'],
  optional: true,
  named: true,
  about: 'Who is to run one of its tests that is untested or to be retested; of a locked run nobody.',
  example: 'todo:me',
  fits: (
    sql,
    { any, none },
  ) => sql.sql`(${sql.runs.lockedAt} is null and exists (select 1 from ${sql.runTests}
    where ${sql.runTests.runId} = ${sql.runs.id} and ${sql.runTests.status} in ('untested', 'retest')
      and ${isAssigned(sql, any, none)}))`,
});

/** Stored in seconds, compared in microseconds as all durations are. */
export const estimate = durationField({
  name: 'estimate',
  ofVersions: true,
  alsoCalled: ['estimated', 'effort'],
  scopes: ofTests,
  optional: true,
  about: 'How long somebody is estimated to take for it.',
  example: 'estimate:>10m',
  fits: comparedIfSet(({ sql, tests }) => sql`(${tests.estimateSeconds} * 1000000)`),
  sort: { scopes: ofTests, value: ({ sql, tests }) => sql`${tests.estimateSeconds}`, optional: true },
});

export const milestone = recordField({
  name: 'milestone',
  alsoCalled: ['release', 'fix-version'],
  scopes: ['runs'],
  list: 'milestone',
  optional: true,
  about: 'Its milestone.',
  example: 'milestone:"1.4"',
  fits: hasRecord('milestone', ({ runs }) => runs.milestoneId),
});

export const plan = recordField({
  name: 'plan',
  scopes: ['runs'],
  list: 'plan',
  optional: true,
  about: 'The plan that made it.',
  example: 'plan:3',
  fits: hasRecord('plan', ({ runs }) => runs.planId),
});

export const due = dateField({
  name: 'due',
  alsoCalled: ['due-on', 'deadline'],
  scopes: ['runs'],
  optional: true,
  about: 'The day by which it is due.',
  example: 'due:<2026-12-01',
  fits: comparedIfSet(({ runs }) => runs.dueOn),
  sort: { scopes: ['runs'], value: ({ sql, runs }) => sql`${runs.dueOn}`, optional: true },
});

export const config = recordField({
  name: 'config',
  alsoCalled: ['configuration'],
  scopes: ['runs'],
  list: 'configuration',
  optional: true,
  about: 'One of its configurations.',
  example: 'config:Chrome',
  fits: ({ sql, runs, runConfigurations, anyOf, among, idsOf }, { any, none }) => {
    const has = (fits: SQL) =>
      sql`exists (select 1 from ${runConfigurations}
        where ${runConfigurations.runId} = ${runs.id} and ${fits})`;
    const some = any.map((one) => among(runConfigurations.valueId, idsOf('configuration', one)));
    return anyOf([
      some.length === 0 ? undefined : has(anyOf(some)),
      none ? sql`not ${has(sql`true`)}` : undefined,
    ]);
  },
});
