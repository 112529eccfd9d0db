import { expect, test } from 'bun:test';
import { getTableName, is, Table } from 'drizzle-orm';
import { coreTables } from '../../../../../core/cli/invocation/tables.ts';
import { loadModule } from '../../../../../core/kernel/module-loading.ts';
import { builtIn } from '../../../../built-in.ts';
import { checkWord, tableName } from './server-words.ts';

test('every table of Trivet has a name for people, and nothing else has', async () => {
  const modules = await Promise.all(Object.values(builtIn).map((load) => load()));
  const parts = await Promise.all(modules.map((module) => loadModule(module)));
  const tables = [coreTables, ...parts.map(({ tables: own }) => own ?? {})]
    .flatMap((own) => Object.values(own))
    .filter((table) => is(table, Table))
    .map((table) => getTableName(table));
  expect(tables.length).toBeGreaterThan(70);
  expect(tables.filter((table) => tableName(table) === undefined)).toEqual([]);
  expect(['notes_entries', 'constructor', ''].map((table) => tableName(table))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ['disk', 'Space on the disk'],
  ['notes', 'notes'],
  ['toString', 'toString'],
])('the check %s is called %s', (check, word) => expect(checkWord(check)).toBe(word));
