import type { SQL } from 'drizzle-orm';
import type { FieldSql } from '../field-kinds/field-sql.ts';
import { numberField } from '../field-kinds/interval-field.ts';
import type { Interval } from '../field-kinds/field-value.ts';
import { eachWord, wordsField } from '../field-kinds/words-field.ts';

export const runStatus = wordsField({
  name: 'status',
  alsoCalled: ['state'],
  scopes: ['runs'],
  words: ['active', 'locked'],
  about: 'Whether it takes results.',
  example: 'status:active',
  fits: eachWord({
    active: ({ sql, runs }) => sql`${runs.lockedAt} is null`,
    locked: ({ sql, runs }) => sql`${runs.lockedAt} is not null`,
  }),
});

export const runContents = wordsField({
  name: 'has',
  scopes: ['runs'],
  words: ['failed'],
  about: 'What it contains: tests, or cases of no test, that failed.',
  example: 'has:failed',
  fits: eachWord({
    failed: ({ sql, runs, unmatchedResults }) => sql`(${runs.failed} > 0 or exists (
      select 1 from ${unmatchedResults} u where u.run_id = ${runs.id} and u.status = 'failed'))`,
  }),
});

export const progress = numberField({
  name: 'progress',
  scopes: ['runs'],
  about: 'The percentage of its tests that passed, failed or are blocked.',
  example: 'progress:<100',
  fits: (sql, { any }) => sql.anyOf(any.map((interval) => progressWithin(sql, interval))),
});

/** Without fractions: percent × total ≤ 100 × done. A run without tests has no progress. */
function progressWithin({ sql, runs, anyOf }: FieldSql, { least, most }: Interval): SQL {
  const done = sql`(${runs.passed} + ${runs.failed} + ${runs.blocked})`;
  const total = sql`(${done} + ${runs.retest} + ${runs.untested})`;
  const least100 = least === null ? sql`` : sql` and 100 * ${done} >= ${least} * ${total}`;
  const most100 = most === null ? sql`` : sql` and 100 * ${done} <= ${most} * ${total}`;
  const some = sql`(${total} > 0${least100}${most100})`;
  return (least ?? 0) <= 0 && (most ?? 0) >= 0 ? anyOf([some, sql`${total} = 0`]) : some;
}
