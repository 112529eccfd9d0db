import type { SQL } from 'drizzle-orm';
import type { FieldSql } from '../field-kinds/field-sql.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import { textField } from '../field-kinds/text-field.ts';

export const key = textField({
  name: 'key',
  alsoCalled: ['automation-key', 'alias', 'classname'],
  scopes: ofTests,
  about: 'A part of an automation key, by which results of pipelines find the test; with = the whole key.',
  example: 'key:"cart.test.ts > adds"',
  fits: ({ sql, tests, automationKeys, hasText }, text, whole) =>
    sql`exists (select 1 from ${automationKeys}
      where ${automationKeys.testId} = ${tests.id} and ${hasText(automationKeys.key, text, whole)})`,
});

export const branch = textField({
  name: 'branch',
  scopes: ['runs'],
  about: 'A part of the branch whose results a pipeline uploaded; with = the whole name.',
  example: 'branch:=main',
  fits: (sql, text, whole) => hasSource(sql, sql.hasText(sql.runSources.branch, text, whole)),
});

export const commit = textField({
  name: 'commit',
  alsoCalled: ['sha', 'revision'],
  scopes: ['runs'],
  about: 'The beginning of the commit whose results a pipeline uploaded.',
  example: 'commit:1a2b3c4',
  fits: (sql, text) => hasSource(sql, sql.beginsWith(sql.runSources.commit, text)),
});

const hasSource = ({ sql, runs, runSources }: FieldSql, fits: SQL): SQL =>
  sql`exists (select 1 from ${runSources} where ${runSources.runId} = ${runs.id} and ${fits})`;
