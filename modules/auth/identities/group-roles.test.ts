import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { startIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { endOldGroupRoles } from '../administration/group-role-job.ts';
import { audit, members, sessions } from '../base/schema.ts';
import { setRole } from '../people/member-store.ts';
import { authenticatePath, signInBody } from '../testing/sign-in-request.ts';

/* Roles follow the groups of a real OpenID provider (docs/contract.md, Identity providers). */

const clock = stillClock(Date.now());
let provider: TestIdentityProvider;
let trivet: TestKernel;
let owner: string;

const settingsOf = (groups: string) =>
  `[providers.real]\nissuer = "${provider.issuer}"\naudiences = ["${provider.clientId}"]\n${groups}`;

const mapping = `groupsMaxAge = 86400
[providers.real.groups]
"qa-leads" = "admin"
qa = "member"
elsewhere = { role = "member", orgId = 99 }
[providers.real.domains]
"staff.example" = "reader"
`;

async function start(groups: string, again?: TestKernel): Promise<TestKernel> {
  const config = join(temporaryDirectory('groups'), 'trivet.toml');
  writeFileSync(config, settingsOf(groups));
  return startTestKernel({ clock, settings: { config }, ...(again ? { again } : {}) });
}

beforeAll(async () => {
  provider = await startIdentityProvider({ claims: ['groups'] });
  trivet = await start(mapping);
  owner = (await trivet.signIn('owner@example.org')).accessToken;
  await trivet.kernel.host.db.tx((q) => setRole(q, 1, idOf(owner), 'admin', clock.now()));
});
afterAll(() => Promise.all([trivet.stop(), provider.stop()]));

const idOf = (token: string) => Number(decodeJwt(token).sub);

/** Signs a person in at the provider, who is in these groups there now. */
async function signIn(email: string, groups: unknown, more: object = {}) {
  const claims = { ...(groups === undefined ? {} : { groups }), ...more };
  const { idToken } = await provider.signIn(email, { claims });
  const { status, body } = await trivet.post(authenticatePath, signInBody(idToken, { resources: [] }));
  expect(status).toBe(200);
  return body as unknown as Awaited<ReturnType<TestKernel['signIn']>>;
}

const call = (token: string, tool: string, input: object = {}) =>
  trivet.post(`/api/tools/${tool}`, input, token);

/** The memberships of a person: organization, what they may do, what of it groups give, what was given by hand. */
async function memberships(token: string) {
  const { q } = trivet.kernel.host.db;
  const held = await q
    .select()
    .from(members)
    .where(eq(members.userId, idOf(token)));
  return held.map(({ orgId, role, groupRole, handRole }) => [orgId, role, groupRole, handRole]);
}

async function changesOf(token: string) {
  const { q } = trivet.kernel.host.db;
  const rows = await q
    .select()
    .from(audit)
    .where(eq(audit.userId, idOf(token)))
    .orderBy(audit.id);
  return rows.flatMap(({ event, provider: by, cause }) => (event === 'role_changed' ? [[by, cause]] : []));
}

/** What a token may still do: nothing, only sign-in things, read, or administer the first organization. */
async function mayDo(token: string): Promise<string> {
  if ((await call(token, 'list-members', { orgId: 1 })).status === 200) return 'administer';
  const { status, body } = await call(token, 'get-orgs-list');
  if (status === 401) return 'nothing';
  return body['total'] === 0 || status === 403 ? 'no organization' : 'read';
}

test('a group gives a role, a lower group takes it down in every session, and no group ends the membership', async () => {
  const first = await signIn('ann@example.org', ['qa-leads', 'sales']);
  expect(await memberships(first.accessToken)).toEqual([[1, 'admin', 'admin', null]]);
  expect(await mayDo(first.accessToken)).toBe('administer');
  const { body: made } = await call(first.accessToken, 'create-access-token', {
    name: 'ci',
    scopes: ['auth', 'testmgmt'],
  });

  const second = await signIn('ann@example.org', ['qa']);
  expect(await memberships(second.accessToken)).toEqual([[1, 'member', 'member', null]]);
  for (const token of [first.accessToken, second.accessToken, String(made['token'])])
    expect(await mayDo(token)).toBe('read');

  // Some providers leave the claim out for who is in no group.
  const third = await signIn('ann@example.org', undefined);
  expect(await memberships(third.accessToken)).toEqual([]);
  for (const token of [first.accessToken, second.accessToken, String(made['token'])])
    expect(await mayDo(token)).toBe('nothing');
  expect((await trivet.post('/v1/auth/token/refresh', { refreshToken: first.refreshToken })).status).toBe(
    401,
  );
  expect(await mayDo(third.accessToken)).toBe('no organization');
  expect(await changesOf(third.accessToken)).toEqual([
    ['real', 'admin'],
    ['real', 'member'],
    ['real', 'none'],
  ]);
});

test('what was given by hand stays when a group comes and goes, and an invitation stays beside it', async () => {
  const { accessToken: token } = await signIn('bea@example.org', []);
  const userId = idOf(token);
  const set = (role: string) => call(owner, 'set-user-role', { orgId: 1, userId, role });
  await trivet.kernel.host.db.tx((q) => setRole(q, 1, userId, 'reader', clock.now()));
  await signIn('bea@example.org', ['qa']);
  expect(await memberships(token)).toEqual([[1, 'member', 'member', 'reader']]);
  // Less than the group gives would come back at the next sign-in.
  for (const answer of [
    await set('reader'),
    await set('none'),
    await call(owner, 'remove-member', { orgId: 1, userId }),
  ])
    expect([answer.status, answer.body['error']]).toEqual([
      409,
      expect.objectContaining({
        code: 'ROLE_OF_GROUP',
        tip: expect.stringContaining('set-user-status') as string,
      }),
    ]);
  expect((await set('admin')).status).toBe(200);
  expect(await memberships(token)).toEqual([[1, 'admin', 'member', 'admin']]);
  const { body: listed } = await call(owner, 'list-members', { orgId: 1 });
  expect(listed['members']).toContainEqual(
    expect.objectContaining({ userId, role: 'admin', groupRole: 'member' }),
  );
  await signIn('bea@example.org', []);
  expect(await memberships(token)).toEqual([[1, 'admin', null, null]]);
  expect(await mayDo(token)).toBe('administer');
  expect((await set('none')).status).toBe(200);
});

/** @see The role of the group was stored as given by hand, and stayed for good. */
test('an invitation gives nobody by hand what a group gives', async () => {
  const { accessToken: token } = await signIn('gil@example.org', ['qa-leads']);
  const { body: invitation } = await call(owner, 'invite-user', { orgId: 1, role: 'reader' });
  const { body: own } = await call(token, 'invite-user', { orgId: 1, role: 'admin' });
  const accepted = await call(token, 'accept-invitation', { code: invitation['code'] });
  expect(accepted.body).toEqual({ orgId: 1, role: 'admin' });
  expect(await memberships(token)).toEqual([[1, 'admin', 'admin', 'reader']]);
  await signIn('gil@example.org', []);
  expect(await memberships(token)).toEqual([[1, 'reader', null, null]]);
  // What the administrator of the group had made does not open again with the group.
  await signIn('gil@example.org', ['qa-leads']);
  const other = (await signIn('hal@example.org', [])).accessToken;
  expect(await call(other, 'accept-invitation', { code: own['code'] })).toMatchObject({
    status: 403,
    body: { error: { code: 'INVALID_INVITATION' } },
  });
});

test('a domain gives a role to a verified address only; an organization that is not there gives none', async () => {
  const cases: ReadonlyArray<readonly [string, object, unknown, string]> = [
    ['cy@staff.example', {}, [], 'read'],
    ['di@staff.example', { email_verified: false }, [], 'no organization'],
    ['ed@other.example', {}, ['elsewhere'], 'no organization'],
    ['fa@other.example', { groups: 'qa' }, 'qa', 'read'],
  ];
  for (const [email, more, groups, may] of cases)
    expect([email, await mayDo((await signIn(email, groups, more)).accessToken)]).toEqual([email, may]);
});

test('sign-ins at the same moment give one membership', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 6 }, () => provider.signIn('gus@example.org', { claims: { groups: ['qa'] } })),
  );
  const answers = await Promise.all(
    tokens.map(({ idToken }) => trivet.post(authenticatePath, signInBody(idToken, { resources: [] }))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(await memberships(String(answers[0]?.body['accessToken']))).toEqual([[1, 'member', 'member', null]]);
});

test('two accounts of one person: the groups move with the identity, and are not taken for a role by hand', async () => {
  const kept = await trivet.signIn('hal@example.org');
  const double = await signIn('hal@work.example', ['qa']);
  const merge = { userId: idOf(kept.accessToken), duplicateId: idOf(double.accessToken) };
  expect((await call(owner, 'merge-users', merge)).body['roles']).toEqual([{ orgId: 1, role: 'member' }]);
  expect(await memberships(kept.accessToken)).toEqual([[1, 'member', 'member', null]]);
  await signIn('hal@work.example', []);
  expect(await memberships(kept.accessToken)).toEqual([]);
});

describe('without a new sign-in', () => {
  test('other settings count from the next refresh on, and from the start for everybody', async () => {
    const [ida, jon] = [
      await signIn('ida@example.org', ['qa-leads']),
      await signIn('jon@example.org', ['qa']),
    ];
    await trivet.stop();
    trivet = await start(
      mapping.replace('"qa-leads" = "admin"', '"qa-leads" = "reader"').replace('qa = "member"', ''),
      trivet,
    );
    // Its job has waited for the still clock.
    expect(await memberships(ida.accessToken)).toEqual([[1, 'admin', 'admin', null]]);
    const renewed = await trivet.post('/v1/auth/token/refresh', { refreshToken: ida.refreshToken });
    expect(await memberships(ida.accessToken)).toEqual([[1, 'reader', 'reader', null]]);
    expect(await mayDo(String(renewed.body['accessToken']))).toBe('read');
    const late = await trivet.post('/v1/auth/token/refresh', { refreshToken: jon.refreshToken });
    expect([late.status, late.body['error']]).toEqual([401, expect.objectContaining({ cause: 'revoked' })]);

    await trivet.stop();
    trivet = await start('', trivet);
    await endOldGroupRoles(trivet.kernel.host);
    expect(await memberships(ida.accessToken)).toEqual([]);
    const { q } = trivet.kernel.host.db;
    const [session] = await q
      .select()
      .from(sessions)
      .where(eq(sessions.userId, idOf(ida.accessToken)));
    expect(session?.revokedReason).toBe('left');
    await trivet.stop();
    trivet = await start(mapping, trivet);
  });

  test('they count for groupsMaxAge', async () => {
    const { accessToken: token } = await signIn('kim@example.org', ['qa']);
    clock.advance(86_399_000);
    await endOldGroupRoles(trivet.kernel.host);
    expect(await memberships(token)).toEqual([[1, 'member', 'member', null]]);
    clock.advance(2_000);
    await endOldGroupRoles(trivet.kernel.host);
    expect(await memberships(token)).toEqual([]);
    expect(await changesOf(token)).toEqual([
      ['real', 'member'],
      ['real', 'none'],
    ]);
  });
});
