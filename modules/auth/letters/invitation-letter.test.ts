import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { sendLetters } from '../../../core/letters/letter-job.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mailServer } from '../../../test/mail-server.ts';
import { toolsOf } from '../../../test/tools.ts';
import { invitations as stored, users } from '../base/schema.ts';
import { removeExpired } from '../sessions/expiry.ts';

const clock = stillClock();
let mail: Awaited<ReturnType<typeof mailServer>>;
let trivet: TestKernel;

beforeAll(async () => {
  mail = await mailServer();
  trivet = await startTestKernel({
    clock,
    settings: mail.settings,
  });
});
afterAll(async () => {
  await trivet.stop();
  await mail.stop();
});

interface Listed {
  readonly invitationId: number;
  readonly email?: string;
  readonly letter?: string;
}

async function invitations() {
  const { call } = await toolsOf(trivet);
  return {
    invite: async (email?: string) =>
      (await call('invite-user', { orgId: 1, ...(email && { email }) })) as {
        readonly invitationId: number;
        readonly code: string;
      },
    listed: async () =>
      ((await call('list-invitations', { orgId: 1 })) as { readonly invitations: readonly Listed[] })
        .invitations,
    call,
  };
}
const send = () => sendLetters(trivet.kernel.host, new AbortController().signal);

/** @see Whoever invited an address that the mail server refuses read "on its way", and nothing else, for ever. */
test('the list of invitations says whose letter has not arrived', async () => {
  mail.behaviour.recipient = (address) =>
    address.startsWith('unknown') ? 550 : address.startsWith('full') ? 452 : undefined;
  const { invite, listed } = await invitations();
  const ids: number[] = [];
  for (const email of ['unknown@example.org', 'full@example.org', 'ann@example.org', undefined])
    ids.push((await invite(email)).invitationId);
  const letters = async () => {
    const open = await listed();
    return ids.map((id) => open.find(({ invitationId }) => invitationId === id)?.letter ?? 'none');
  };
  expect(await letters()).toEqual(['waiting', 'waiting', 'waiting', 'none']);
  await send();
  expect(await letters()).toEqual(['failed', 'waiting', 'none', 'none']);
  // A day later the other one is given up as well.
  for (let hour = 0; hour < 26; hour++) {
    clock.advance(3_600_000);
    await send();
  }
  expect(await letters()).toEqual(['failed', 'failed', 'none', 'none']);
});

/** @see An administrator with five open invitations could not tell whose they were. */
test('an open invitation says where its link was sent; nothing remembers it afterwards', async () => {
  mail.behaviour.recipient = () => undefined;
  clock.advance(8 * 24 * 3_600_000);
  const { host } = trivet.kernel;
  const remembered = async () =>
    (await host.db.q.select({ address: stored.address }).from(stored)).flatMap(
      ({ address }) => address ?? [],
    );
  await removeExpired(host);
  expect(await remembered()).toEqual([]);

  const { invite, listed, call } = await invitations();
  const used = await invite('bea@example.org');
  const revoked = await invite('cem@example.org');
  await invite('Dana@Example.org');
  await invite('eli@example.org');
  await invite();
  await send();
  expect((await listed()).toReversed().map(({ email = '' }) => email)).toEqual([
    'bea@example.org',
    'cem@example.org',
    'Dana@Example.org',
    'eli@example.org',
    '',
  ]);

  const bea = await trivet.signIn('bea@example.org');
  await trivet.post('/api/tools/accept-invitation', { code: used.code }, bea.accessToken);
  await call('revoke-invitation', { orgId: 1, invitationId: revoked.invitationId });
  expect(await remembered()).toEqual(['Dana@Example.org', 'eli@example.org']);
  await trivet.signIn('dana@example.org');
  const [dana] = await host.db.q.select().from(users).where(eq(users.email, 'dana@example.org'));
  await call('erase-user', { userId: dana?.id });
  expect(await remembered()).toEqual(['eli@example.org']);
  clock.advance(7 * 24 * 3_600_000 + 1);
  expect((await removeExpired(host)).invitedAddresses).toBe(1);
  expect(await remembered()).toEqual([]);
});
