import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sendLetters } from '../../../core/letters/letter-job.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mailServer } from '../../../test/mail-server.ts';
import { toolsOf } from '../../../test/tools.ts';

const clock = stillClock();
let mail: Awaited<ReturnType<typeof mailServer>>;
let trivet: TestKernel;

beforeAll(async () => {
  mail = await mailServer();
  trivet = await startTestKernel({
    clock,
    settings: {
      'smtp-url': mail.url,
      'smtp-tls': 'none',
      'smtp-from': 'trivet@example.org',
      'public-url': 'http://127.0.0.1:8787',
    },
  });
});
afterAll(async () => {
  await trivet.stop();
  await mail.stop();
});

/** @see Whoever invited an address that the mail server refuses read "on its way", and nothing else, for ever. */
test('the list of invitations says whose letter has not arrived', async () => {
  mail.behaviour.recipient = (address) =>
    address.startsWith('unknown') ? 550 : address.startsWith('full') ? 452 : undefined;
  const { call } = await toolsOf(trivet);
  const ids: unknown[] = [];
  for (const email of ['unknown@example.org', 'full@example.org', 'ann@example.org', undefined]) {
    const made = (await call('invite-user', { orgId: 1, ...(email && { email }) })) as Record<
      string,
      unknown
    >;
    ids.push(made['invitationId']);
  }
  const letters = async () => {
    const { invitations } = (await call('list-invitations', { orgId: 1 })) as {
      invitations: ReadonlyArray<{ invitationId: number; letter?: string }>;
    };
    return ids.map((id) => invitations.find(({ invitationId }) => invitationId === id)?.letter ?? 'none');
  };
  expect(await letters()).toEqual(['waiting', 'waiting', 'waiting', 'none']);
  await sendLetters(trivet.kernel.host, new AbortController().signal);
  expect(await letters()).toEqual(['failed', 'waiting', 'none', 'none']);
  // A day later the other one is given up as well.
  for (let hour = 0; hour < 26; hour++) {
    clock.advance(3_600_000);
    await sendLetters(trivet.kernel.host, new AbortController().signal);
  }
  expect(await letters()).toEqual(['failed', 'failed', 'none', 'none']);
});
