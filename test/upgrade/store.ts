import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { engine } from '../../core/db/query/engine.ts';
import { ledgerName } from '../../core/db/ledger/ledger.ts';
import { builtInMigrations } from '../../core/db/ledger/migrations.ts';
import { localExecutor } from '../../core/tools/local-executor.ts';
import { startTestKernel, stillClock } from '../kernel.ts';

/**
 * Writes a database of this version, with records of all areas in it, as SQL that test/upgrade/upgrade.test.ts loads and
 * migrates to whatever is newest then. Run it once per release, on both engines, and name it after the last migration:
 *
 *   for engine in sqlite postgres; do TRIVET_TEST_ENGINE=$engine bun --no-env-file test/upgrade/store.ts 0006; done
 */
const [name = 'head'] = process.argv.slice(2);
const clock = stillClock();
const trivet = await startTestKernel({ clock });
const { kernel, location } = trivet;
const owner = await kernel.identity.local(kernel.host, undefined);
const executor = localExecutor(kernel, owner, {});
/** Reads that must return the same result after every upgrade. */
const reads: { tool: string; args: object; answer: unknown }[] = [];
const call = async (tool: string, args: object) =>
  (await executor.call(tool, args, { signal: AbortSignal.timeout(10_000) })) as Record<string, unknown>;

const { projectId } = await call('create-project', {
  orgId: 1,
  projectName: "Käse & 'quotes'",
  projectDescription: 'line\nbreak',
});
const testIds: unknown[] = [];
for (const testName of ['plain', 'emoji 🧀', '=formula()', "o'brien; --"]) {
  const { testId } = await call('create-test', { projectId, testName, testDescription: `about ${testName}` });
  testIds.push(testId);
}
const { runId } = await call('create-run', { projectId, runName: 'stored', testIds });
const testResults = [
  { testId: testIds[0], status: 'passed', comment: 'fine' },
  { testId: testIds[1], status: 'failed', comment: "it's broken" },
];
await call('run-update-test-status', { projectId, runId, testResults });
const rule = {
  stateToAction: { '1': 'show' },
  stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
  actions: [{ actionId: 'show', type: 'POPUP', template: '<b>hello</b>' }],
  priority: 3,
};
const { ctaId } = await call('create-cta', { name: 'stored', rule });
await call('set-cta-status', { ctaId, status: 'LIVE' });
const user = { 'auth-userid': '9007199254740993', api_version: '1' };
const machine = {
  currentState: '1',
  lastTransitionAt: 5,
  createdAt: clock.now(),
  context: { deep: [1, 'ä'] },
};
const snapshot = { ctaId, activeStateMachines: { default: machine }, actionDoneAt: [3, 4] };
await trivet.post('/cta/state-machines/snapshot/delta/', { ctas: [snapshot] }, undefined, user);
const launched = await trivet.post('/cta/active/state-machines/', {}, undefined, user);
const { refreshToken } = await trivet.signIn('stored@example.org');

for (const [tool, args] of [
  ['get-projects', { orgId: 1 }],
  ['get-tests', { projectId }],
  ['run-detail', { projectId, runId }],
  ['get-cta', { ctaId }],
] as const)
  reads.push({ tool, args, answer: await call(tool, args) });

await trivet.stop();
const migrations = builtInMigrations(engine());
const inserts = location.engine === 'sqlite' ? ofSqlite(location.directory) : await ofPostgres(location.url);
const folder = join(import.meta.dir, 'stored');
mkdirSync(folder, { recursive: true });
const sql = [
  ...migrations.map((migration) => `-- ${migration.tag}\n${migration.sql.trim()}`),
  ...inserts,
].join('\n');
writeFileSync(join(folder, `${name}.${engine()}.sql`), `${sql}\n`);
const expected = {
  clock: clock.now(),
  // A key used only by this fixture.
  masterKey: readFileSync(join(trivet.directory, 'master.key'), 'utf8').trim(),
  tags: migrations.map(ledgerName),
  reads,
  user,
  launched: launched.body,
  refreshToken,
};
writeFileSync(join(folder, `${name}.${engine()}.json`), `${JSON.stringify(expected, null, 2)}\n`);
process.exit(0);

function ofSqlite(directory: string): string[] {
  const file = new Database(join(directory, 'trivet.db'), { readonly: true });
  const list = (sql: string) => file.query<Record<string, string>, []>(sql).all();
  const tables = list(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
  );
  const lines = [
    (list("SELECT sql FROM sqlite_master WHERE name = 'trivet_migrations'")[0]?.['sql'] ?? '') + ';',
  ];
  for (const { name: table = '' } of tables) {
    const columns = list(`PRAGMA table_info("${table}")`).map((column) => `"${column['name']}"`);
    const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
    for (const { row } of list(`SELECT ${values} AS row FROM "${table}"`))
      lines.push(`INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${row});`);
  }
  file.close();
  return lines;
}

async function ofPostgres(url: string): Promise<string[]> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const lines = [
    'CREATE TABLE trivet_migrations (tag text PRIMARY KEY, hash text NOT NULL, applied_at bigint NOT NULL);',
    'SET session_replication_role = replica;',
  ];
  const tables = await client.unsafe<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
  );
  for (const { name: table } of tables) {
    const [found] = await client.unsafe<{ rows: string | null }[]>(
      `SELECT json_agg(t)::text AS rows FROM "${table}" t`,
    );
    if (!found?.rows) continue;
    const text = found.rows.replaceAll("'", "''");
    lines.push(
      `INSERT INTO "${table}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"${table}", '${text.replaceAll('\n', ' ')}');`,
    );
    const [id] = await client.unsafe<{ sequence: string | null }[]>(
      `SELECT pg_get_serial_sequence('"${table}"', column_name) AS sequence FROM information_schema.columns WHERE table_name = '${table}' AND column_name = 'id'`,
    );
    if (id?.sequence) lines.push(`SELECT setval('${id.sequence}', (SELECT max(id) FROM "${table}"));`);
  }
  await client.end();
  return [...lines, 'SET session_replication_role = DEFAULT;'];
}
