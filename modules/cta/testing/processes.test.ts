import { afterAll, expect, test } from 'bun:test';
import { systemClock } from '../../../core/base/clock.ts';
import { asc, eq } from 'drizzle-orm';
import { compiled, serveTrivet } from '../../../test/executable.ts';
import { statusChanges } from '../base/schema.ts';
import { deltaPath, machineAt, startCtaKernel } from './cta-kernel.ts';

/** Two real servers and a kernel of the test, on one database. */
const real = {
  ...systemClock,
  set: () => undefined,
  advance: () => undefined,
  pass: async () => undefined,
};

const trivet = await startCtaKernel(real);
const { location, directory } = trivet;
const place =
  location.engine === 'sqlite' ? ['--data', directory] : ['--data', directory, '--database', location.url];
const servers = await Promise.all([1, 2].map(() => serveTrivet(compiled, place)));
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await trivet.stop();
});

test('64 deltas of one user at once, through two processes, are all there', async () => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  // A process sees the changes of another within a second.
  await Bun.sleep(1100);
  const now = Date.now();
  const sent = Array.from({ length: 64 }, (_, i) => i);
  const answers = await Promise.all(
    sent.map(async (i) => {
      const machine = machineAt(now, { lastTransitionAt: now + i });
      const response = await fetch(`${servers[i % 2]?.origin}${deltaPath}`, {
        method: 'POST',
        headers: { 'auth-userid': '7', api_version: '1', 'content-type': 'application/json' },
        body: JSON.stringify({
          ctas: [
            { ctaId, activeStateMachines: { [`g${i}`]: machine }, actionDoneAt: [now + i], resetAt: [i] },
          ],
        }),
      });
      return [response.status, await response.text()];
    }),
  );
  expect(answers).toEqual(sent.map(() => [200, '{"data":true}']));
  const cta = (await trivet.stored('7'))?.ctas[ctaId];
  expect(Object.keys(cta?.machines ?? {}).sort()).toEqual(sent.map((i) => `g${i}`).sort());
  expect(cta?.actionDoneAt.marks).toEqual(sent.map((i) => now + i));
  expect(cta?.resetAt.marks).toEqual(sent);
}, 60_000);

test('both processes keep the schedule, and each move is written once and in time', async () => {
  const start = Date.now() + 1500;
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) {
    ids.push(await trivet.makeCta({ startTime: start, endTime: start + 900 }, 'SCHEDULED'));
  }
  await Bun.sleep(start + 900 + 1000 - Date.now());
  for (const ctaId of ids) {
    const rows = await trivet.kernel.host.db.q
      .select()
      .from(statusChanges)
      .where(eq(statusChanges.ctaId, Number(ctaId)))
      .orderBy(asc(statusChanges.id));
    expect(rows.map(({ to, at, by }) => [to, at, by]).slice(1)).toEqual([
      ['LIVE', start, null],
      ['CONCLUDED', start + 900, null],
    ]);
  }
}, 60_000);
