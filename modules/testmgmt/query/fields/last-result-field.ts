import { testStatuses } from '../../rules/test-status.ts';
import type { RowSql } from '../field-kinds/field-sql.ts';
import { comparedIfSet, dateField, durationField } from '../field-kinds/interval-field.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import { wordsField } from '../field-kinds/words-field.ts';

export const last = wordsField({
  name: 'last',
  alsoCalled: ['status', 'state', 'result', 'outcome', 'verdict'],
  scopes: ofTests,
  words: [...testStatuses, 'none'],
  about: 'The last result in any run.',
  example: 'last:failed,blocked',
  readsOutcomes: true,
  fits: ({ sql, outcomes, orWithout }, any, negated) => {
    const statuses = any.filter((word) => word !== 'none');
    const fits = statuses.length === 0 ? sql`false` : sql`${outcomes.lastStatus} in ${statuses}`;
    return orWithout(outcomes.lastStatus, fits, statuses.length < any.length, negated);
  },
  index: (any) =>
    any.some((word) => word === 'none' || word === 'passed')
      ? undefined
      : {
          rank: 'last result',
          testIds: ({ sql, outcomes, testsByOutcome }) =>
            testsByOutcome(sql`${outcomes.lastStatus} in ${any}`),
        },
});

export const lastRun = dateField({
  name: 'last-run',
  alsoCalled: ['ran', 'executed'],
  scopes: ofTests,
  optional: true,
  about: 'When the last result was reported.',
  example: 'last-run:<2026-11-01',
  readsOutcomes: true,
  fits: comparedIfSet(({ outcomes }) => outcomes.lastAt),
  sort: { scopes: ofTests, value: ({ sql, outcomes }) => sql`${outcomes.lastAt}`, optional: true },
});

/** In microseconds: in the run, or in the run of its last result. Null when no pipeline reported it. */
const durationSql = ({ sql, scope, tests, runTests, reportedResults }: RowSql) =>
  scope === 'run-tests'
    ? sql`(select r.duration_us from ${reportedResults} r where r.run_id = ${runTests.runId} and r.test_id = ${tests.id})`
    : sql`(select r.duration_us from ${reportedResults} r where r.test_id = ${tests.id}
        and r.run_id = (select o.last_run_id from testmgmt_outcomes o where o.test_id = ${tests.id}))`;

export const duration = durationField({
  name: 'duration',
  alsoCalled: ['time', 'took'],
  scopes: ofTests,
  optional: true,
  about: 'How long its last result took, if a pipeline reported it.',
  example: 'duration:>=2s',
  fits: comparedIfSet(durationSql),
  sort: { scopes: ofTests, value: durationSql, optional: true },
});
