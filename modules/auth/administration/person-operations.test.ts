import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';
import { insertUser } from '../people/user-store.ts';
import { organizations } from '../base/schema.ts';

const trivet = await startTestKernel();
const { tx } = trivet.kernel.host.db;
const elsewhere = await tx(async (q) => {
  const [made] = await q.insert(organizations).values({ name: 'Elsewhere', createdAt: 0 }).returning();
  return made?.id ?? 0;
});
const tokens: Record<string, string> = {};
for (const name of ['owner', 'boss', 'member', 'both', 'stranger']) {
  tokens[name] = (await trivet.signIn(`${name}@example.org`)).accessToken;
}
const idOf = (name: string) => Number(decodeJwt(tokens[name] ?? '').sub);
const join = (userId: number, orgId: number, role: 'admin' | 'member') =>
  tx((q) => setRole(q, orgId, userId, role, 0));
await join(idOf('owner'), 1, 'admin');
await join(idOf('boss'), elsewhere, 'admin');
await join(idOf('boss'), 1, 'member');
await join(idOf('member'), 1, 'member');
await join(idOf('both'), 1, 'member');
await join(idOf('both'), elsewhere, 'member');
/** Of another provider, with the address of `member` in another case. */
const namesake = await tx((q) =>
  insertUser(q, 0, {
    issuer: 'https://id.example.org',
    subject: 'k-1',
    provider: 'x',
    email: 'Member@Example.org',
  }),
);
await join(namesake.id, 1, 'member');
afterAll(() => trivet.stop());

const find = async (actor: string, input: object) => {
  const { status, body } = await trivet.post('/api/tools/get-user', input, tokens[actor]);
  const users = body['users'] as { userId: number; roles: { orgId: number }[] }[] | undefined;
  return {
    status,
    body,
    found: users?.map(({ userId, roles }) => [userId, roles.map(({ orgId }) => orgId)]),
  };
};
const external = { issuer: 'https://id.example.org', subject: 'k-1' };

describe('an administrator finds members of the own organizations', () => {
  const cases: readonly (readonly [
    string,
    string,
    object,
    readonly (readonly [number, readonly number[]])[],
  ])[] = [
    ['by address', 'owner', { email: 'both@example.org' }, [[idOf('both'), [1]]]],
    ['by address, of the other', 'boss', { email: 'BOTH@example.org' }, [[idOf('both'), [elsewhere]]]],
    [
      'all who have an address, in any case',
      'owner',
      { email: 'member@example.org' },
      [
        [idOf('member'), [1]],
        [namesake.id, [1]],
      ],
    ],
    ['by external id', 'owner', external, [[namesake.id, [1]]]],
  ];
  test.each(cases)('%s', async (_, actor, input, expected) => {
    const { status, found } = await find(actor, input);
    expect({ status, found }).toEqual({ status: 200, found: expected as never });
  });

  test('and reads what get-user-details reads', async () => {
    const { body } = await find('owner', external);
    const details = await trivet.post(
      '/api/tools/get-user-details',
      { userId: namesake.id },
      tokens['owner'],
    );
    expect(body).toEqual({ users: [details.body] });
  });
});

describe('whom the caller may not see is as one who does not exist', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    ['nobody', 'owner', { email: 'nobody@example.org' }],
    ['a user without organization', 'owner', { email: 'stranger@example.org' }],
    ['a member of another organization', 'boss', { email: 'member@example.org' }],
    ['the same by external id', 'boss', external],
    ['an unknown subject', 'owner', { ...external, subject: 'k-2' }],
    ['a pattern', 'owner', { email: '%@example.org' }],
  ];
  test.each(cases)('%s', async (_, actor, input) => {
    const { status, body } = await find(actor, input);
    expect({ status, error: body['error'] }).toEqual({
      status: 404,
      error: {
        code: 'USER_NOT_FOUND',
        message: 'No member of the organizations that you administer has this key.',
        tip: expect.any(String) as string,
      },
    });
  });
});

test.each([['member'], ['stranger']])('%s may not look', async (actor) => {
  expect(await find(actor, { email: 'both@example.org' })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN' } },
  });
});

test.each<[object, string]>([
  [{}, 'issuer'],
  [{ issuer: 'x' }, 'subject'],
  [{ subject: 'x' }, 'issuer'],
  [{ email: 'a@b.c', ...external }, 'email'],
  [{ email: '' }, 'email'],
])('%j is no key', async (input, cause) => {
  expect(await find('owner', input)).toMatchObject({
    status: 400,
    body: { error: { code: 'INVALID_REQUEST', cause } },
  });
});
