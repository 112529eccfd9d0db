import { afterAll, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { and, eq, isNull } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { meanwhile } from '../../../test/meanwhile.ts';
import { toolsOf } from '../../../test/tools.ts';
import { audit, sessions, users } from '../base/schema.ts';
import { fail } from '../base/errors.ts';
import { bindAccount, eraseProfiles } from '../people/account-store.ts';
import { identitiesOfUser, removeIdentity } from '../people/identity-store.ts';
import { userById } from '../people/user-store.ts';
import { openBrowserSession } from './browser-session.ts';
import { endAccess } from './session-revocation.ts';
import { recordRefusal } from './sign-in.ts';

/*
 * What is asked for an account while its erasure or its merger is about to commit. Both end what exists; what comes afterwards must find
 * the account as it is then.
 */
const clock = stillClock();
const trivet = await startTestKernel({ clock });
const tools = await toolsOf(trivet);
const { host } = trivet.kernel;
afterAll(() => trivet.stop());

const idOf = async (email: string) => Number(decodeJwt((await trivet.signIn(email)).accessToken).sub);
const keptId = await idOf('kept@example.org');

type Change = (q: Query, userId: number) => Promise<unknown>;
const ends = { actorId: keptId, now: clock.now() };
const erased: Change = async (q, userId) => {
  await endAccess(q, userId, { ...ends, reason: 'erased' });
  await eraseProfiles(q, [userId]);
};
const merged: Change = async (q, userId) => {
  await endAccess(q, userId, { ...ends, reason: 'merged' });
  await bindAccount(q, userId, keptId);
};

type Asked = (userId: number, email: string) => Promise<string>;
const signIn: Asked = async (userId, email) => {
  const id = await idOf(email);
  return id === userId ? 'as before' : id === keptId ? 'the one that stayed' : 'a new user';
};
const claims: Asked = (userId) =>
  tools
    .call('set-user-claims', { userId, claims: { plan: 'pro' } })
    .then(() => 'stored')
    .catch((error: { code: string }) => error.code);
const link: Asked = async (userId) => {
  const cookie = await openBrowserSession(host, userId, { address: '203.0.113.7', userAgent: 'test' });
  return cookie === null ? 'refused' : 'signed in';
};

const changes = { erased, merged };

test.each<readonly [string, keyof typeof changes, Asked, string]>([
  ['a sign-in', 'erased', signIn, 'a new user'],
  ['set-user-claims', 'erased', claims, 'USER_NOT_FOUND'],
  ['a link to the console', 'erased', link, 'refused'],
  ['a sign-in', 'merged', signIn, 'the one that stayed'],
  ['set-user-claims', 'merged', claims, 'USER_NOT_FOUND'],
  ['a link to the console', 'merged', link, 'refused'],
])('%s while an account is %s', async (what, end, ask, expected) => {
  const email = `${end}-${what.replaceAll(' ', '-')}@example.org`;
  const userId = await idOf(email);
  const change = (q: Query) => changes[end](q, userId);
  expect(await meanwhile(host.db, change, () => ask(userId, email))).toBe(expected);
  const { q } = host.db;
  const live = await q
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNull(sessions.revokedAt)));
  expect(live).toEqual([]);
  const [user] = await q.select().from(users).where(eq(users.id, userId));
  expect(user?.claims ?? null).toBeNull();
  if (end === 'erased') expect(user).toMatchObject({ email: null, name: null, status: 'disabled' });
});

test.each([
  ['disabled', null, '203.0.113.7'],
  ['erased', erased, null],
] as const)('a sign-in that is recorded as refused when its account is %s', async (end, change, address) => {
  const userId = await idOf(`refused-${end}@example.org`);
  if (change) await host.db.tx((q) => change(q, userId));
  const refused = fail.ACCESS_DENIED('This user is disabled.', { cause: 'disabled' });
  const client = { address: '203.0.113.7', userAgent: 'test' };
  await recordRefusal(host, { name: 'dev' }, { refused, userId }, client);
  const ofUser = and(eq(audit.userId, userId), eq(audit.event, 'sign_in_failed'));
  expect(await host.db.q.select().from(audit).where(ofUser)).toMatchObject([{ cause: 'disabled', address }]);
});

test('a sign-in with an identity that is just removed is one of a new user', async () => {
  const ownerId = await idOf('owner-of-two@example.org');
  const email = 'second-of-two@example.org';
  const secondId = await idOf(email);
  const { db } = host;
  await db.tx((q) => bindAccount(q, secondId, ownerId));
  const owner = await userById(db.q, ownerId);
  const [, second] = await identitiesOfUser(db.q, ownerId);
  if (!owner || !second) throw new Error('a user with two identities');
  const signedIn = await meanwhile(
    db,
    (q) => removeIdentity(q, owner, second),
    () => idOf(email),
  );
  expect([ownerId, secondId]).not.toContain(signedIn);
});
