import { expect, test } from 'bun:test';
import { openMigrated } from '../../../test/migrated-rows.ts';
import { formerMembers } from '../base/schema.ts';

const user = (id: number) => `(${id}, 'https://id.example', 's${id}', 'example', 'active', false, 0)`;
const roleChanged = (userId: number, cause: string, ids: string) =>
  `(5, 'role_changed', ${userId}, '${cause}', ${ids})`;

/** Rows of the schema before the table, written as a plugin's migration would. */
const rows = `INSERT INTO auth_organizations (id, name, created_at) VALUES (1, 'One', 0), (2, 'Two', 0);
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
].join()};`;

test('who has left before the table is in it, by the audit log', async () => {
  const { q, close } = await openMigrated('_former_members', rows);
  expect(await q.select().from(formerMembers).orderBy(formerMembers.userId)).toEqual([
    { orgId: 1, userId: 2 },
    { orgId: 2, userId: 3 },
  ]);
  await close();
});
