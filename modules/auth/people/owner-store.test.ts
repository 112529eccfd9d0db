import { expect, test } from 'bun:test';
import { startTestKernel } from '../../../test/kernel.ts';
import { members, organizations, users } from '../base/schema.ts';
import { removeMember, setRole } from './member-store.ts';
import { ensureOwner, localUser } from './owner-store.ts';
import { insertUser, type UserRow } from './user-store.ts';

/** @see Of processes that met at the first start over PostgreSQL, one in ten failed because the owner existed already. */
test('of processes that meet at the first start, each finds the owner and one has made it', async () => {
  const first = await startTestKernel();
  const others = await Promise.all(Array.from({ length: 4 }, () => startTestKernel({ again: first })));
  const hosts = [first, ...others].map(({ kernel }) => kernel.host);
  const { db } = first.kernel.host;
  for (let round = 0; round < 20; round++) {
    await db.tx(async (q) => {
      await q.delete(members);
      await q.delete(organizations);
      await q.delete(users);
    });
    await Promise.all(hosts.map(ensureOwner));
    expect(await db.q.select().from(organizations)).toHaveLength(1);
    expect(await db.q.select().from(users)).toHaveLength(1);
  }
  for (const trivet of [...others, first]) await trivet.stop();
}, 60_000);

/** @see A sign-in at a provider with an administrator's address locked that administrator out of `trivet console link`. */
test('of several users with an address, the only member is meant; otherwise each is named', async () => {
  const trivet = await startTestKernel();
  const { db } = trivet.kernel.host;
  const email = 'ann@example.org';
  const add = (issuer: string, given: Partial<UserRow> = {}) =>
    db.tx((q) =>
      insertUser(q, 1, { issuer, subject: `${issuer} ${email}`, provider: issuer, email, ...given }),
    );
  const meant = (address = email) =>
    localUser(db.q, address).then(
      ({ id }) => id,
      (error: unknown) => String(error),
    );
  const local = await add('local');
  await db.tx((q) => setRole(q, 1, local.id, 'admin', 1));
  expect(await meant()).toBe(local.id);
  const stranger = await add('google');
  expect(await meant()).toBe(local.id);
  await db.tx((q) => setRole(q, 1, stranger.id, 'reader', 1));
  expect(await meant()).toContain(`${local.id} (local), ${stranger.id} (google)`);
  await db.tx((q) => removeMember(q, 1, stranger.id));
  await add('disabled', { status: 'disabled' });
  await add('merged', { mergedInto: local.id });
  expect(await meant()).toBe(local.id);
  await db.tx((q) => removeMember(q, 1, local.id));
  expect(await meant()).toContain('Several users have that e-mail address');
  expect(await meant('nobody@example.org')).toContain('No active user');
  const locked = await add('locked', { email: 'locked@example.org', status: 'disabled' });
  expect(await meant('locked@example.org')).toContain(
    `User ${locked.id}, who has that e-mail address, is disabled.`,
  );
  await trivet.stop();
}, 30_000);
