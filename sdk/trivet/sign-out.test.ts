import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createTrivet, type Trivet } from './trivet.ts';

/* What a user has not sent when they sign out, with a server that takes it only with their token. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true', 'cta-require-token': 'true' });
afterAll(() => server.stop());

const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'hello' },
  resetStates: ['2'],
  actions: [{ actionId: 'hello', type: 'POPUP', template: {} }],
  frequency: { lifeSpan: { limit: 1 } },
};
const identity = async (name: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, `${name}@example.org`, crypto.randomUUID()),
});
type Network = 'works' | 'is away' | 'hangs';

async function device(tenantId = freshTenant()) {
  if ((await server.tenant(tenantId)) === undefined) await server.makeCta({ tenantId, rule }, 'LIVE');
  const state: { network: Network; lastWordsWait?: Promise<unknown> } = { network: 'works' };
  const sent: string[] = [];
  const storage = memoryStorage();
  const trivet = createTrivet({
    url: server.origin,
    tenantId,
    storage,
    fetch: async (input, init) => {
      if (state.network === 'is away') throw new TypeError('offline');
      if (state.network === 'hangs') return new Promise<Response>(() => {});
      if (input.includes('/cta/')) await state.lastWordsWait;
      const response = await fetch(input, init);
      const user = new Headers(init.headers).get('auth-userid') ?? '';
      sent.push(`${input.replace(server.origin, '')} ${user} ${response.status}`.replace('  ', ' '));
      return response;
    },
    now: clock.now,
    later: testClock(clock.now()).later,
    lifecycle: () => () => {},
    onError: () => {},
  });
  return { trivet, state, sent, storage, tenantId };
}
/** Does what leaves something unsent. */
async function use({ auth, cta }: Trivet, name: string): Promise<string> {
  const { userId } = await auth.signIn(await identity(name));
  await cta.launch();
  cta.track('open');
  cta.track('close');
  cta.measure('custom', {}, { name: 'bought' });
  return userId;
}
const arrived = (userId: string, ...more: string[]) => [
  `/cta/state-machines/snapshot/delta/ ${userId} 200`,
  `/cta/events/ ${userId} 200`,
  ...more,
];
const revoked = '/v1/auth/token/revoke 200';

/** @see sdk/README.md, signOut: what was unsent went without the token, and the server refused it. */
test.each<[string, (trivet: Trivet) => unknown, string[]]>([
  ['signOut()', ({ auth }) => auth.signOut(), [revoked]],
  ['signOut({ everywhere })', ({ auth }) => auth.signOut({ everywhere: true }), ['/v1/auth/sessions 200']],
])('%s: what is unsent arrives before the session ends', async (_, signOut, last) => {
  const { trivet, sent, tenantId } = await device();
  const userId = await use(trivet, 'ann');
  sent.length = 0;
  await signOut(trivet);
  expect(sent).toEqual(arrived(userId, ...last));
  const other = await device(tenantId);
  await other.trivet.auth.signIn(await identity('ann'));
  await other.trivet.cta.launch();
  expect(other.trivet.cta.track('open')).toMatchObject([{ kind: 'held', hold: 'frequency.lifespan' }]);
});

test('the session ends here at once, and who signs in meanwhile stays', async () => {
  const { trivet, sent } = await device();
  const userId = await use(trivet, 'bob');
  sent.length = 0;
  const over = trivet.auth.signOut();
  await Promise.resolve();
  await Promise.resolve();
  expect(trivet.auth.session()).toBeNull();
  const next = await trivet.auth.signIn(await identity('cat'));
  await over;
  expect(trivet.auth.session()).toEqual(next);
  expect(sent).toEqual(expect.arrayContaining(arrived(userId, revoked)));
});

test('a sign-out everywhere is not for somebody who signs in meanwhile', async () => {
  const { trivet, state, sent } = await device();
  await use(trivet, 'eve');
  sent.length = 0;
  const waited = Promise.withResolvers<void>();
  state.lastWordsWait = waited.promise;
  const over = trivet.auth.signOut({ everywhere: true });
  const next = await trivet.auth.signIn(await identity('fay'));
  waited.resolve();
  await over;
  expect(trivet.auth.session()).toEqual(next);
  expect(sent.filter((one) => one.startsWith('/v1/auth/sessions'))).toEqual([]);
});

test.each<[Network, number]>([
  ['is away', 1_000],
  ['hangs', 3_000],
])('without network (%s) signing out is quick, and what is unsent waits', async (network, most) => {
  const { trivet, state, sent, storage, tenantId } = await device();
  const userId = await use(trivet, `dan-${network.length}`);
  state.network = network;
  const began = performance.now();
  await trivet.auth.signOut();
  expect(performance.now() - began).toBeLessThan(most);
  expect([trivet.auth.session(), trivet.cta.pending()]).toEqual([null, 0]);
  expect(storage.get(`trivet:${tenantId}:session-to-end`)).toEqual(expect.any(String));
  state.network = 'works';
  sent.length = 0;
  await trivet.auth.signIn(await identity(`dan-${network.length}`));
  await trivet.cta.flush();
  expect(sent).toEqual(expect.arrayContaining(arrived(userId)));
});
