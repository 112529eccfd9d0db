import type { SQL } from 'drizzle-orm';
import { flakyFlips } from '../../outcomes/outcome.ts';
import type { FieldSql, SqlValue, WithOutcomes } from '../field-kinds/field-sql.ts';
import { dateField, numberField, timesOf, type AskedIntervals } from '../field-kinds/interval-field.ts';
import { ofTests, type Interval } from '../field-kinds/field-value.ts';
import type { AskedTerm } from '../field-kinds/query-field.ts';
import { QueryProblem } from '../field-kinds/query-term.ts';
import { eachWord, wordsField } from '../field-kinds/words-field.ts';

type OutcomeSql = FieldSql & WithOutcomes;

/** Counts outcomes, or results in a window of time; a test without a row has 0. */
const counted =
  (status: 'passed' | 'failed' | 'any', count: (sql: OutcomeSql) => SqlValue) =>
  (sql: OutcomeSql, { any, window, negated }: AskedIntervals): SQL =>
    window
      ? sql.countedWithin(status, any, window)
      : sql.orWithout(count(sql), sql.within(count(sql), any), any.some(hasZero), negated);

const hasZero = ({ least, most }: Interval): boolean => (least ?? 0) <= 0 && (most ?? 0) >= 0;

export const failed = numberField({
  name: 'failed',
  alsoCalled: ['failures'],
  scopes: ofTests,
  about: 'How many of the last 20 results are failures.',
  example: 'failed:>=2',
  counts: true,
  readsOutcomes: true,
  fits: counted('failed', ({ outcomes }) => outcomes.failed),
  index: ({ any, window }) =>
    window || any.some(({ least }) => (least ?? 0) <= 0)
      ? undefined
      : {
          rank: 'failures',
          // The index contains only rows with failures, and SQLite cannot infer that from a bound value.
          testIds: ({ sql, outcomes, within, testsByOutcome }) =>
            testsByOutcome(sql`${outcomes.failed} > 0 and ${within(outcomes.failed, any)}`),
        },
  sort: { scopes: ofTests, value: ({ sql, outcomes }) => sql`coalesce(${outcomes.failed}, 0)` },
});

export const passed = numberField({
  name: 'passed',
  scopes: ofTests,
  about: 'How many of the last 20 results are passes.',
  example: 'passed:>=10',
  counts: true,
  readsOutcomes: true,
  /** `recent` has a p for each pass; a P is a pass, too. */
  fits: counted(
    'passed',
    ({ sql, outcomes }) =>
      sql`(length(${outcomes.recent}) - length(replace(lower(${outcomes.recent}), 'p', '')))`,
  ),
});

/** The number of runs. */
export const runCount = numberField({
  name: 'runs',
  scopes: ofTests,
  about: 'In how many runs it has a result.',
  example: 'runs:0',
  counts: true,
  readsOutcomes: true,
  fits: counted('any', ({ outcomes }) => outcomes.runs),
});

/** Restricts the counts of its query, and selects nothing itself. */
export const since = dateField({
  name: 'since',
  alsoCalled: ['within', 'window'],
  scopes: ofTests,
  about: 'Which results failed:, passed: and runs: of this query count, instead of the last 20.',
  example: 'failed:>=2 since:7d',
  fits: ({ sql }) => sql`true`,
});

/** The window given by `since:`. @throws QueryProblem */
export function windowOf(asked: AskedTerm): Interval {
  const [window, ...more] = timesOf(asked);
  if (!window || more.length > 0)
    throw new QueryProblem('"since:" takes one time.', asked.term.at, 'Write e.g. since:7d, or since:A..B.');
  // A day by itself is the start of the window.
  return asked.term.operator === 'is' ? { ...window, most: null } : window;
}

/** Never null. */
const isFlaky = ({ sql, outcomes }: OutcomeSql): SQL =>
  sql`(${outcomes.flips} is not null and ${outcomes.flips} >= ${flakyFlips} and ${outcomes.failed} > 0)`;

export const flaky = wordsField({
  name: 'flaky',
  scopes: ofTests,
  words: ['yes', 'no'],
  about: 'Whether the last 20 results change between passed and failed, although the test was not changed.',
  example: 'flaky:yes',
  readsOutcomes: true,
  fits: eachWord({ yes: isFlaky, no: (sql: OutcomeSql) => sql.sql`not ${isFlaky(sql)}` }),
  index: (any) =>
    any.includes('no')
      ? undefined
      : {
          rank: 'flaky',
          // The index of failures works here: a test with flips has failed.
          testIds: ({ sql, outcomes, testsByOutcome }) =>
            testsByOutcome(sql`${outcomes.failed} > 0 and ${outcomes.flips} >= ${flakyFlips}`),
        },
});
