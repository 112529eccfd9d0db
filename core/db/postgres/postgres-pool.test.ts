import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { startPostgres } from '../../../test/postgres.ts';
import { rejectionOf } from '../../../test/rejection.ts';
import { createLog } from '../../base/log.ts';
import { openDb } from '../open/open.ts';
import { engine } from '../query/engine.ts';

const onPostgres = test.if(engine() === 'postgres');

/** A database and a role that may use it, with the lines that are logged. */
async function ofRole(options: string) {
  const role = `role_${process.pid}_${Date.now()}`;
  const { url, createDatabase } = await startPostgres();
  const server = postgres(url, { max: 1 });
  const location = new URL(await createDatabase());
  const inside = postgres(location.href, { max: 1 });
  await server.unsafe(`CREATE ROLE ${role} LOGIN ${options}`);
  location.username = role;
  location.password = '';
  const lines: string[] = [];
  const log = createLog('warn', Date.now, (line) => void lines.push(line));
  const db = await openDb({ engine: 'postgres', url: location.href }, log);
  return {
    db,
    role,
    inside,
    logged: () => lines.map((line) => JSON.parse(line) as object),
    end: async () => {
      await db.close();
      await inside.unsafe(`DROP OWNED BY ${role}`);
      await inside.end();
      await server.unsafe(`DROP ROLE ${role}`);
      await server.end();
    },
  };
}

onPostgres(
  'where PostgreSQL refuses connections that the pool has room for, the others serve, and the log says it once',
  async () => {
    const { db, logged, end } = await ofRole('CONNECTION LIMIT 2');
    try {
      const answers = Array.from({ length: 20 }, () =>
        db.q.select({ one: sql<number>`1` }).from(sql`pg_sleep(0.05) as waited`),
      );
      expect(await Promise.all(answers)).toHaveLength(20);
      expect(db.failing()).toBeNull();
      expect(logged()).toMatchObject([
        {
          level: 'warn',
          event: 'database_connections_short',
          remedy: expect.stringContaining('CONNECTION LIMIT'),
        },
      ]);
    } finally {
      await end();
    }
  },
);

onPostgres(
  'tables in a schema that the user may not use are a failure of the storage, with the remedy',
  async () => {
    const { db, role, inside, logged, end } = await ofRole('');
    try {
      await inside.unsafe('CREATE TABLE notes (id bigint); REVOKE USAGE ON SCHEMA public FROM PUBLIC');
      await inside.unsafe(`GRANT ALL ON notes TO ${role}`);
      const read = () => db.q.select({ id: sql<number>`id` }).from(sql`notes`);
      expect(await rejectionOf(read())).toMatchObject({
        code: 'STORAGE_FAILED',
        causeWord: 'tables_not_found',
      });
      expect(logged()).toMatchObject([
        {
          level: 'error',
          event: 'storage_failed',
          code: 'tables_not_found',
          remedy: expect.stringContaining('GRANT USAGE'),
        },
      ]);
      await inside.unsafe(`GRANT USAGE ON SCHEMA public TO ${role}`);
      expect(await read()).toEqual([]);
    } finally {
      await end();
    }
  },
);
