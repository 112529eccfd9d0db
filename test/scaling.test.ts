import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInMigrations } from '../core/db/ledger/migrations.ts';
import { describeTables } from '../core/db/transfer/table-description.ts';
import { loadModule } from '../core/kernel/module-loading.ts';
import { coreTables } from '../core/cli/invocation/tables.ts';
import { builtIn } from '../modules/built-in.ts';
import { root } from './imports.ts';
import { shipped } from './rooms.ts';

/*
 * The statements of docs/scaling.md about distributed databases, as far as our own SQL shows them: no such database runs here.
 *
 * Mutation note: seen to fail with a table that the page leaves out, with a wrong key, and with `pg_advisory_lock` in a store.
 */
const page = readFileSync(join(root, 'docs', 'scaling.md'), 'utf8');
const textOf = (file: string) =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');

test('the page lists every table with its primary key', async () => {
  const modules = await Promise.all(Object.values(builtIn).map(async (load) => loadModule(await load())));
  const tables = describeTables(
    [coreTables, ...modules.map((module) => module.tables ?? {})].flatMap(Object.values<object>),
  );
  const listed = [
    ...page.matchAll(/^\| `((?:core|auth|cta|testmgmt|checkmate)_\w+)`\s*\| `([\w, ]+)`\s*\|/gm),
  ];
  expect(listed.map(([, name, key]) => `${name}: ${key}`).sort()).toEqual(
    tables.map(({ name, key }) => `${name}: ${key.join(', ')}`).sort(),
  );
});

/** Features that at least one of the three lacks or restricts, in the spelling of our statements. */
const features: Readonly<Record<string, RegExp>> = {
  'advisory lock': /pg_(?:try_)?advisory/i,
  'LISTEN and NOTIFY': /\b(?:LISTEN|NOTIFY|UNLISTEN) [a-z"$]|pg_notify/,
  'LOCK TABLE': /\bLOCK TABLE\b/i,
  trigger: /\bCREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER\b/i,
  'stored function': /\bCREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE)\b/i,
  extension: /\bCREATE EXTENSION\b/i,
  'temporary table': /\bCREATE (?:TEMP|TEMPORARY|UNLOGGED) TABLE\b/i,
  'system column': /\b(?:ctid|xmin|xmax)\b/,
  'deferrable constraint': /\bDEFERRABLE\b/,
  'exclusion constraint': /\bEXCLUDE USING\b/i,
  'table inheritance': /\bINHERITS \(/i,
  'skipped lock': /\bSKIP LOCKED\b/i,
};

/** Features that are used nevertheless; the page explains the consequences. */
const used = ['LOCK TABLE: core/db/postgres/postgres-migration.ts'];

test('no statement uses what Citus, CockroachDB or YugabyteDB lack', () => {
  const migrations = [...new Glob('drizzle/postgres/*.sql').scanSync(root)];
  expect(migrations.length).toBe(builtInMigrations('postgres').length);
  // What only SQLite runs is never sent to them.
  const sent = shipped.filter((file) => !file.startsWith('core/db/sqlite/'));
  const found = [...sent, ...migrations].flatMap((file) => {
    const text = textOf(file);
    return Object.entries(features)
      .filter(([, pattern]) => pattern.test(text))
      .map(([feature]) => `${feature}: ${file}`);
  });
  expect(found).toEqual(used);
});

test('migrations create and change tables and indexes, and nothing else', () => {
  const statements = builtInMigrations('postgres').flatMap(({ sql }) =>
    sql
      .split(';')
      .map((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim())
      .filter((statement) => statement !== ''),
  );
  const known =
    /^(?:CREATE TABLE|CREATE (?:UNIQUE )?INDEX|ALTER TABLE|DROP INDEX|UPDATE|WITH|INSERT INTO)\b/i;
  expect(statements.length).toBeGreaterThan(90);
  expect(statements.filter((statement) => !known.test(statement))).toEqual([]);
  const caches = statements.join('\n').match(/\bCACHE \d+/g) ?? [];
  expect(new Set(caches)).toEqual(new Set(['CACHE 1']));
});
