import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import postgres from 'postgres';
import { builtIn } from '../../../modules/built-in.ts';
import { startPostgres } from '../../../test/postgres.ts';
import { loadModule } from '../../kernel/module-loading.ts';
import { coreTables } from '../../cli/invocation/tables.ts';
import { bool, id, int, json, primaryKey, table, text } from '../query/columns.ts';
import { builtInMigrations } from '../ledger/migrations.ts';
import {
  describeTables,
  referencedFirst,
  undeclaredTables,
  withDependents,
  type TableDescription,
} from './table-description.ts';

const parents = table('x_parents', { id: id('id'), name: text('name').notNull(), isOpen: bool('is_open') });
const children = table(
  'x_children',
  {
    parentId: int('parent_id').references(() => parents.id),
    name: text('name').notNull(),
    words: json<readonly string[]>('words'),
  },
  (t) => [primaryKey({ columns: [t.name, t.parentId] })],
);

test('a table is described without its engine, parents first; other values are left out', () => {
  expect(describeTables([children, parents, () => 1, parents])).toEqual([
    {
      name: 'x_parents',
      columns: [
        { name: 'id', kind: 'int' },
        { name: 'name', kind: 'text' },
        { name: 'is_open', kind: 'bool' },
      ],
      key: ['id'],
      identity: 'id',
      references: [],
    },
    {
      name: 'x_children',
      columns: [
        { name: 'parent_id', kind: 'int' },
        { name: 'name', kind: 'text' },
        { name: 'words', kind: 'text' },
      ],
      key: ['name', 'parent_id'],
      identity: null,
      references: ['x_parents'],
    },
  ]);
});

test('a table without primary key cannot be transferred', () =>
  expect(() => describeTables([table('x_none', { name: text('name') })])).toThrow(
    '"x_none" has no primary key',
  ));

const named = (name: string, ...references: string[]): TableDescription => ({
  name,
  columns: [],
  key: [],
  identity: null,
  references,
});
const family = [named('c', 'b'), named('b', 'a'), named('a'), named('d', 'a'), named('e')];
const names = (tables: ReadonlyArray<{ readonly name: string }>) => tables.map(({ name }) => name);

test('parents come first, and a circle is an error', () => {
  expect(names(referencedFirst(family))).toEqual(['a', 'e', 'b', 'd', 'c']);
  expect(() => referencedFirst([named('a', 'b'), named('b', 'a')])).toThrow('in a circle: a, b');
});

test.each([
  [['a'], ['c', 'd', 'b', 'a']],
  [['b'], ['c', 'b']],
  [
    ['c', 'e'],
    ['c', 'e'],
  ],
  [[], []],
])('with %p goes all that refers to it: %p', (changed, expected) =>
  expect(names(withDependents(family, new Set(changed)))).toEqual(expected),
);

test.each([
  ['declared', ['a', 'b'], ['a', 'b'], []],
  ['not declared', ['a', 'b'], ['a'], ['b']],
  ['dropped since', ['a'], ['a'], []],
  ['of another program', ['a', 'z'], ['a'], []],
] as const)('a table that is %s', (_which, existing, declared, expected) => {
  const migrations = [{ sql: 'CREATE TABLE "a" (x text);\ncreate table if not exists b (y text);' }];
  expect(
    undeclaredTables(
      [...existing],
      migrations,
      declared.map((name) => named(name)),
    ),
  ).toEqual([...expected]);
});

/** The parts of a schema that are not tables of a module. */
const notTransferred: Readonly<Record<string, string>> = {
  trivet_migrations: 'written by migrating the target',
};

describe('every table and column of a migrated database is transferred', () => {
  const described = async () => {
    const modules = await Promise.all(Object.values(builtIn).map(async (load) => loadModule(await load())));
    const tables = [coreTables, ...modules.map((module) => module.tables ?? {})].flatMap(
      Object.values<object>,
    );
    return describeTables(tables)
      .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
      .sort();
  };
  const transferred = (found: ReadonlyArray<{ readonly name: string; readonly column: string }>) =>
    found
      .filter(({ name }) => !(name in notTransferred) && !name.startsWith('sqlite_'))
      .map(({ name, column }) => `${name}.${column}`)
      .sort();

  test('on SQLite', async () => {
    const client = new Database(':memory:');
    for (const { sql } of builtInMigrations('sqlite')) client.exec(sql);
    const columns = client
      .query<{ name: string; column: string }, []>(
        `SELECT t.name, c.name AS column FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
      )
      .all();
    expect(transferred(columns)).toEqual(await described());
  });

  test('on PostgreSQL', async () => {
    const client = postgres(await (await startPostgres()).createDatabase(), { max: 1, onnotice: () => {} });
    for (const { sql } of builtInMigrations('postgres')) await client.unsafe(sql);
    const columns = await client<Array<{ name: string; column: string }>>`
      SELECT table_name AS name, column_name AS column FROM information_schema.columns WHERE table_schema = current_schema()`;
    await client.end();
    expect(transferred(columns)).toEqual(await described());
  });
});
