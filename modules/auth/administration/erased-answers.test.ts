import { afterAll, beforeAll, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { keyedCalls } from '../../../core/tools/idempotency-schema.ts';
import { startTestKernel } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';

/*
 * What the results of calls with an idempotency key still say of a person who was erased.
 * @see docs/data-keeping.md, Erasure. test/erased-bytes.test.ts looks for the bytes.
 */
const trivet = await startTestKernel();
afterAll(() => trivet.stop());
const { q } = trivet.kernel.host.db;

interface Person {
  readonly userId: number;
  readonly token: string;
}
const person = async (address: string, role: 'admin' | 'member'): Promise<Person> => {
  const { accessToken } = await trivet.signIn(address);
  const userId = Number(decodeJwt(accessToken).sub);
  await trivet.kernel.host.db.tx((within) => setRole(within, 1, userId, role, 0));
  return { userId, token: accessToken };
};

let owner: Person;
let erased: Person;
let other: Person;
beforeAll(async () => {
  owner = await person('owner@example.org', 'admin');
  // Ids that are part of other numbers.
  for (let n = 0; n < 8; n++) other = await person(`other-${n}@example.org`, 'member');
  erased = await person('erased@example.org', 'member');
});

const stored = async () =>
  (await q.select().from(keyedCalls)).map(({ answer }) => JSON.stringify(answer)).join();

const calls: ReadonlyArray<
  readonly [
    what: string,
    tool: string,
    input: () => object,
    by: () => Person,
    end: 'forgotten' | 'repeated',
    secret: string,
  ]
> = [
  [
    'claims of the person',
    'set-user-claims',
    () => ({ userId: erased.userId, claims: { plan: 'SECRET-1' } }),
    () => owner,
    'forgotten',
    'SECRET-1',
  ],
  [
    'the role of the person',
    'set-user-role',
    () => ({ orgId: 1, userId: erased.userId, role: 'admin' }),
    () => owner,
    'forgotten',
    '"role":"admin"',
  ],
  [
    'what the person wrote, from their own call',
    'create-project',
    () => ({ orgId: 1, projectName: 'SECRET-2' }),
    () => erased,
    'forgotten',
    'SECRET-2',
  ],
  [
    'claims of somebody else',
    'set-user-claims',
    () => ({ userId: other.userId, claims: { plan: 'KEPT-1' } }),
    () => owner,
    'repeated',
    'KEPT-1',
  ],
];

test('erase-user: answers about the person are forgotten, and their calls are still not done twice', async () => {
  const keyed = ([, tool, input, by]: (typeof calls)[number], key: number) =>
    trivet.post(`/api/tools/${tool}`, input(), by().token, { 'idempotency-key': `key-${key}` });
  for (const [key, call] of calls.entries())
    expect([call[0], (await keyed(call, key)).status]).toEqual([call[0], 200]);
  const before = await stored();
  for (const [what, , , , , text] of calls) expect([what, before.includes(text)]).toEqual([what, true]);

  const erasure = { userId: erased.userId };
  const key = { 'idempotency-key': 'erase' };
  const first = await trivet.post('/api/tools/erase-user', erasure, owner.token, key);
  expect(first.status).toBe(200);
  const after = await stored();
  for (const [what, , , , end, text] of calls)
    expect([what, after.includes(text)]).toEqual([what, end === 'repeated']);
  for (const [at, call] of calls.entries()) {
    const [what, , , by, end] = call;
    if (by() === erased) continue;
    const { status, body } = await keyed(call, at);
    expect([what, status, (body['error'] as { message?: string } | undefined)?.message]).toEqual(
      end === 'repeated'
        ? [what, 200, undefined]
        : [what, 409, 'This call was done before. Its result was erased with the data of a person.'],
    );
  }
  // The erasure itself is repeated, as every call.
  expect((await trivet.post('/api/tools/erase-user', erasure, owner.token, key)).body).toEqual(first.body);
});
