import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sendLetters } from '../../../core/letters/letter-job.ts';
import { outbox } from '../../../core/letters/letter-schema.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mailServer } from '../../../test/mail-server.ts';
import { toolsOf } from '../../../test/tools.ts';

const clock = stillClock();
const second = 1_000;
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

/** @see Letters that a killed process had taken waited for 20 minutes, because it had taken ten at once. */
test('letters that are being sent stay with their process for two minutes, however long those before them take', async () => {
  const { call } = await toolsOf(trivet);
  const addresses = Array.from({ length: 6 }, (_, n) => `person${n}@example.org`);
  for (const email of addresses) await call('invite-user', { orgId: 1, email });
  const { q } = trivet.kernel.host.db;
  const left: number[] = [];
  /** For how long those that wait are still in the hands of this process. */
  const note = async () => {
    const now = clock.now();
    const waiting = (await q.select().from(outbox)).filter(({ status }) => status === 'waiting');
    left.push(...waiting.map(({ dueAt }) => (dueAt - now) / second));
  };
  mail.behaviour.recipient = () => {
    // The server of the recipient takes its time.
    clock.advance(50 * second);
    void note();
    return undefined;
  };
  await sendLetters(trivet.kernel.host, new AbortController().signal);
  expect(mail.letters.map(({ to }) => to[0])).toEqual(addresses);
  expect(left.length).toBeGreaterThan(addresses.length);
  expect(Math.min(...left)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...left)).toBeLessThanOrEqual(300);
});
