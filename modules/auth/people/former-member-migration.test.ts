import { expect, test } from 'bun:test';
import { systemClock } from '../../../core/base/clock.ts';
import { createLog } from '../../../core/base/log.ts';
import { builtInMigrations } from '../../../core/db/ledger/migrations.ts';
import { migrate } from '../../../core/db/open/migrate.ts';
import { openDb } from '../../../core/db/open/open.ts';
import type { Location } from '../../../core/db/query/db.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { startPostgres } from '../../../test/postgres.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { formerMembers } from '../base/schema.ts';

const log = createLog('error', systemClock.now);

const user = (id: number) => `(${id}, 'https://id.example', 's${id}', 'example', 'active', false, 0)`;
const roleChanged = (userId: number, cause: string, ids: string) =>
  `(5, 'role_changed', ${userId}, '${cause}', ${ids})`;

/** Rows of the schema before the table, written as a plugin's migration would. */
const rows = {
  tag: 'test/rows',
  sql: `INSERT INTO auth_organizations (id, name, created_at) VALUES (1, 'One', 0), (2, 'Two', 0);
INSERT INTO auth_users (id, issuer, subject, provider, status, email_verified, created_at) VALUES ${[1, 2, 3, 4].map(user).join()};
INSERT INTO auth_audit (at, event, user_id, cause, ids) VALUES ${[
    roleChanged(1, 'reader', `'{"orgId":1}'`),
    roleChanged(2, 'member', `'{"orgId":1}'`),
    roleChanged(2, 'none', `'{"orgId":1}'`),
    roleChanged(2, 'none', `'{"orgId":1}'`),
    roleChanged(3, 'none', `'{"orgId":2}'`),
    // An organization and a user that are gone, and an entry without ids.
    roleChanged(3, 'none', `'{"orgId":99}'`),
    roleChanged(77, 'none', `'{"orgId":1}'`),
    roleChanged(4, 'none', 'NULL'),
  ].join()};`,
};

test('who has left before the table is in it, by the audit log', async () => {
  const location: Location =
    engine() === 'sqlite'
      ? { engine: 'sqlite', directory: temporaryDirectory('former'), durability: 'full' }
      : { engine: 'postgres', url: await (await startPostgres()).createDatabase() };
  const all = builtInMigrations(engine());
  const at = all.findIndex(({ tag }) => tag.endsWith('_former_members'));
  await migrate(location, [...all.slice(0, at), rows], { clock: systemClock, log });
  await migrate(location, all, { clock: systemClock, log });
  const { q, close } = await openDb(location, log);
  expect(await q.select().from(formerMembers).orderBy(formerMembers.userId)).toEqual([
    { orgId: 1, userId: 2 },
    { orgId: 2, userId: 3 },
  ]);
  await close();
});
