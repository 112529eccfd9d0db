import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { startPostgres } from '../../../test/postgres.ts';
import { createLog } from '../../base/log.ts';
import { openDb } from '../open/open.ts';
import { engine } from '../query/engine.ts';

test.if(engine() === 'postgres')(
  'where PostgreSQL refuses connections that the pool has room for, the others serve, and the log says it once',
  async () => {
    const role = `few_${process.pid}`;
    const { url, createDatabase } = await startPostgres();
    const admin = postgres(url, { max: 1 });
    const location = new URL(await createDatabase());
    await admin.unsafe(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`);
    location.username = role;
    location.password = '';
    const lines: string[] = [];
    const db = await openDb(
      { engine: 'postgres', url: location.href },
      createLog('warn', Date.now, (line) => void lines.push(line)),
    );
    try {
      const answers = Array.from({ length: 20 }, () =>
        db.q.select({ one: sql<number>`1` }).from(sql`pg_sleep(0.05) as waited`),
      );
      expect(await Promise.all(answers)).toHaveLength(20);
      expect(db.failing()).toBeNull();
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
        {
          level: 'warn',
          event: 'database_connections_short',
          remedy: expect.stringContaining('CONNECTION LIMIT'),
        },
      ]);
    } finally {
      await db.close();
      await admin.unsafe(`DROP ROLE ${role}`);
      await admin.end();
    }
  },
);
