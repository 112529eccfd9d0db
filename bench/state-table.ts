import postgres from 'postgres';
import { builtInMigrations } from '../core/db/ledger/migrations.ts';
import { startPostgres } from '../test/postgres.ts';

/**
 * The cost of the table of user states in PostgreSQL: bytes of a row and of its index, the garbage left by ten updates of each row, and the
 * duration of a vacuum; then the same for 10^9 rows by arithmetic. docs/scaling.md quotes it.
 *
 * bun --no-env-file bench/state-table.ts [rows] [updates of each row] [fill factors]
 */
const [rows = 1_000_000, updates = 10] = process.argv.slice(2, 4).map(Number);
const fillFactors = (process.argv[4] ?? '100,85').split(',').map(Number);
/** Users per transaction. A delta has one; a thousand at once make ten million updates bearable and touch the same number of pages. */
const usersAtOnce = 1_000;

const server = await startPostgres();
const client = postgres(await server.createDatabase(), { max: 1, onnotice: () => {} });
const say = (line: string) => process.stdout.write(`${line}\n`);
const one = async (sql: string): Promise<Record<string, number>> => {
  const [row] = await client.unsafe<Array<Record<string, string>>>(sql);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
};
const seconds = async (sql: string) => {
  const since = performance.now();
  await client.unsafe(sql);
  return (performance.now() - since) / 1000;
};
const sizes = () =>
  one(`SELECT pg_relation_size('cta_user_states') AS heap, pg_indexes_size('cta_user_states') AS index,
    pg_total_relation_size('cta_user_states') - pg_relation_size('cta_user_states') - pg_indexes_size('cta_user_states') AS rest`);

for (const { sql } of builtInMigrations('postgres')) await client.unsafe(sql);
// PostgreSQL's default, except for more frequent checks: updates of weeks happen in minutes.
await client.unsafe("ALTER SYSTEM SET autovacuum_naptime = '2s'");
await client.unsafe('SELECT pg_reload_conf()');

/** A state as an app leaves it: two CTAs, one machine each, some timestamps. `salt` makes each version different. */
const state = (
  salt: string,
) => `'{"ctas":{"' || (n % 40 + 1) || '":{"machines":{"default":{"currentState":"' || (n % 5) ||
  '","lastTransitionAt":' || (1767225600000 + n * 13 + ${salt}) || ',"createdAt":1767225600000,"context":{"screen":"home","orderCount":' ||
  (n % 90 + 10) || ',"city":"' || md5(n::text) || '"}}},"resetAt":[],"actionDoneAt":[' || (1767225600000 + n + ${salt}) || ']},"' ||
  (n % 40 + 41) || '":{"machines":{"order-' || (n % 9000 + 1000) || '":{"currentState":"1","lastTransitionAt":1767225600000,' ||
  '"createdAt":1767225600000,"context":{}}},"resetAt":[1767225600000],"actionDoneAt":[]}},"ctasResetAt":{}}'`;

say(
  `${rows} rows, ${updates} updates of each, ${usersAtOnce} random users in a transaction, autovacuum as it is by default`,
);
say(
  'fillfactor | state B | heap B/row | index B/row | HOT | heap after | index after | autovacuums | VACUUM s | updates/s',
);
for (const fillFactor of fillFactors) {
  await client.unsafe('TRUNCATE cta_user_states');
  await client.unsafe(`ALTER TABLE cta_user_states SET (fillfactor = ${fillFactor})`);
  await client.unsafe('SELECT pg_stat_reset()');
  await client.unsafe(
    // User ids are spread over the number range, so that new users are inserted anywhere in the index, as in reality.
    `INSERT INTO cta_user_states (tenant_id, user_id, state, updated_at)
     SELECT 'default', ((n * 7919 % ${rows}) * 9000000000 + 1000000000)::text, ${state('0')}, 1767225600000
     FROM generate_series(1::bigint, ${rows}::bigint) n`,
  );
  await client.unsafe('VACUUM ANALYZE cta_user_states');
  const before = await sizes();
  const { length } = await one(
    'SELECT avg(length(state)) AS length FROM (SELECT state FROM cta_user_states LIMIT 10000) s',
  );
  const since = performance.now();
  for (let done = 0; done < rows * updates; done += usersAtOnce) {
    await client.unsafe(
      `UPDATE cta_user_states s SET state = u.state, updated_at = 1767225600001
       FROM (SELECT ((n * 7919 % ${rows}) * 9000000000 + 1000000000)::text AS user_id, ${state(String(done))} AS state
         FROM (SELECT DISTINCT floor(random() * ${rows})::bigint + 1 AS n FROM generate_series(1, ${usersAtOnce})) r) u
       WHERE s.tenant_id = 'default' AND s.user_id = u.user_id`,
    );
  }
  const perSecond = (rows * updates) / ((performance.now() - since) / 1000);
  // Statistics are written with a delay of up to a second.
  await Bun.sleep(2_000);
  const after = await sizes();
  const stats = await one(`SELECT n_tup_upd AS updated, n_tup_hot_upd AS hot, autovacuum_count AS vacuums
    FROM pg_stat_user_tables WHERE relname = 'cta_user_states'`);
  const vacuum = await seconds('VACUUM cta_user_states');
  const per = (bytes = 0) => (bytes / rows).toFixed(0);
  const grown = (now = 0, then = 1) => `${per(now)} (${(now / then).toFixed(2)} ×)`;
  say(
    [
      fillFactor,
      length?.toFixed(0),
      per(before['heap']),
      per(before['index']),
      `${(((stats['hot'] ?? 0) / (stats['updated'] ?? 1)) * 100).toFixed(1)} %`,
      grown(after['heap'], before['heap']),
      grown(after['index'], before['index']),
      stats['vacuums'],
      vacuum.toFixed(1),
      perSecond.toFixed(0),
    ].join(' | '),
  );
  const billion = (bytes = 0) => `${(((bytes / rows) * 1e9) / 1e12).toFixed(2)} TB`;
  say(
    `  10^9 rows: heap ${billion(after['heap'])}, index ${billion(after['index'])}, together ${billion((after['heap'] ?? 0) + (after['index'] ?? 0))}; ` +
      `one VACUUM ${(((vacuum / rows) * 1e9) / 3600).toFixed(1)} h at this speed`,
  );
}
await client.end();
await server.stop();
