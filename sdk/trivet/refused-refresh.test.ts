import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { rejectionOf } from '../../test/rejection.ts';
import type { Trouble } from '../base/environment.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createTrivet } from './trivet.ts';

/* What an app is told while the server answers, and gives no new token: it said that there was no answer. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true', 'cta-require-token': 'true' });
afterAll(() => server.stop());

async function signedIn(name: string) {
  const tenantId = freshTenant();
  await server.makeCta({ tenantId }, 'LIVE');
  const told: Trouble[] = [];
  const state: { answer?: Response } = {};
  const trivet = createTrivet({
    url: server.origin,
    tenantId,
    storage: memoryStorage(),
    fetch: async (input, init) =>
      input.endsWith('/token/refresh') && state.answer ? state.answer.clone() : fetch(input, init),
    now: clock.now,
    later: testClock(clock.now()).later,
    lifecycle: () => () => {},
    onError: (trouble) => told.push(trouble),
  });
  const idToken = await mintDevIdToken(server.kernel.host, `${name}@example.org`, crypto.randomUUID());
  const { userId } = await trivet.auth.signIn({ provider: 'dev', idToken });
  await trivet.cta.launch();
  return { trivet, told, state, userId };
}

test('a disabled user: each call says so, not that the server is away', async () => {
  const { trivet, told, userId } = await signedIn('ann');
  await server.call('set-user-status', { userId: Number(userId), status: 'disabled' });
  clock.advance(900_000);
  const refused = { code: 'ACCESS_DENIED', status: 403 };
  expect(await rejectionOf(trivet.auth.accessToken())).toMatchObject(refused);
  expect(await rejectionOf(trivet.auth.fetch(`${server.origin}/docs`))).toMatchObject(refused);
  expect(await rejectionOf(trivet.auth.sessions())).toMatchObject(refused);
  await trivet.cta.launch();
  expect(told.map(({ code }) => code)).toEqual(['ACCESS_DENIED']);
});

test('a server with too much to do: its code, also before the next attempt', async () => {
  const { trivet, told, state } = await signedIn('bob');
  const error = { code: 'SERVER_BUSY', message: 'Too many requests.' };
  state.answer = Response.json({ error }, { status: 503, headers: { 'retry-after': '5' } });
  clock.advance(900_000);
  for (let tries = 2; tries > 0; tries--)
    expect(await rejectionOf(trivet.auth.accessToken())).toMatchObject({ ...error, status: 503 });
  await trivet.cta.launch();
  expect(told.map(({ code }) => code)).toEqual(['SERVER_BUSY']);
  delete state.answer;
  clock.advance(90_000);
  expect(await trivet.auth.accessToken()).toBeString();
});
