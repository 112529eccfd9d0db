import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkQuery } from './query-check.ts';
import type { QueryScope } from './field-kinds/field-value.ts';
import type { QueryField } from './field-kinds/query-field.ts';
import { ownFields } from './fields/own-field.ts';
import { queryFields } from './query-fields.ts';
import { parseQuery } from './query-syntax.ts';

const scopes = ['tests', 'run-tests', 'runs'] as const satisfies readonly QueryScope[];

describe('every field', () => {
  test.each(queryFields.map((field) => [field.name, field] as const))(
    '%s: its example is a query',
    (_name, field) => {
      for (const scope of field.scopes) checkQuery(parseQuery(field.example), scope, 0);
      for (const scope of field.sort?.scopes ?? [])
        checkQuery(parseQuery(`sort:${field.name}-desc`), scope, 0);
      expect(field.about).toMatch(/^[A-Z].*\.$/);
    },
  );

  test('stands once in each place', () => {
    for (const scope of scopes) {
      const names = queryFields.filter((field) => field.scopes.includes(scope)).map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });
});

const rowOf = (field: Pick<QueryField, 'name' | 'scopes' | 'values' | 'about' | 'example'>): string =>
  [
    `\`${field.name}\``,
    scopes.map((scope) =>
      field.scopes.includes(scope) ? { tests: 'T', 'run-tests': 'R', runs: 'runs' }[scope] : '',
    ),
    field.values,
    field.about,
    `\`${field.example}\``,
  ]
    .map((cell) => (typeof cell === 'string' ? cell : cell.filter(Boolean).join(' ')))
    .join(' | ');

/* `bun test` of this file prints the missing rows. */
test('docs/query.md has the fields as they are', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/query.md'), 'utf8').replace(/ +/g, ' ');
  const missing = [...queryFields, ownFields].map(rowOf).filter((row) => !page.includes(`| ${row} |`));
  expect(missing).toEqual([]);
});

test('docs/query.md names everything that lists are sorted by', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/query.md'), 'utf8').replace(/\s+/g, ' ');
  const [, ofTests = '', ofRuns = ''] =
    /\*\*Sort\*\* by ([^()]*) \(tests\), ([^()]*) \(runs\)\./.exec(page) ?? [];
  const named = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).toSorted();
  const sorted = (scope: QueryScope) =>
    queryFields
      .filter(({ sort }) => sort?.scopes.includes(scope))
      .map(({ name }) => name)
      .toSorted();
  expect(named(ofTests)).toEqual([...sorted('tests'), ownFields.name].toSorted());
  expect(named(ofRuns)).toEqual(sorted('runs'));
});
