import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createTrivet, type Action } from './trivet.ts';

/* The way of a guest: what they have seen is not shown again when they sign in, in either order, and late. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true', 'cta-require-token': 'true' });
afterAll(() => server.stop());

/** Shown once in a life. */
const once = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'hello' },
  resetStates: ['2'],
  actions: [{ actionId: 'hello', type: 'POPUP', template: { text: 'Hello' } }],
  frequency: { lifeSpan: { limit: 1 } },
};
const identity = async (email: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, email, crypto.randomUUID()),
});

async function world() {
  const tenantId = freshTenant();
  await server.makeCta({ tenantId, rule: once }, 'LIVE');
  const phone = () => {
    const time = testClock(clock.now());
    const network: { isAway: boolean; refuses: string; next?: Response | undefined; until?: unknown } = {
      isAway: false,
      refuses: '',
    };
    const storage = memoryStorage();
    const sent: Array<readonly [path: string, user: string, body: string]> = [];
    const shown: Action[] = [];
    const users: string[] = [];
    const trivet = createTrivet({
      url: server.origin,
      tenantId,
      storage,
      fetch: async (input, init) => {
        if (input.includes('/delta/')) await network.until;
        if (network.isAway && input.includes('/delta/')) throw new TypeError('offline');
        if (network.refuses !== '' && input.includes(network.refuses))
          return new Response('{}', { status: 503 });
        sent.push([
          input.replace(server.origin, ''),
          new Headers(init.headers).get('auth-userid') ?? '',
          String(init.body),
        ]);
        users.push(new Headers(init.headers).get('auth-userid') ?? '');
        const { next } = network;
        network.next = undefined;
        if (next) return next;
        return fetch(input, init);
      },
      now: time.now,
      later: time.later,
      lifecycle: () => () => {},
      onError: (trouble) => process.env['SDK_DEBUG'] && process.stderr.write(JSON.stringify(trouble) + '\n'),
    });
    trivet.cta.on('action', (action) => shown.push(action));
    /** The app is opened, and the user closes what appears. */
    const use = async () => {
      shown.length = 0;
      await trivet.cta.launch();
      trivet.cta.track('open');
      trivet.cta.track('close');
      await trivet.cta.flush();
      return shown.length;
    };
    return { trivet, network, use, users, storage, sent, time, tenantId };
  };
  return { phone };
}

test('a guest who signs in keeps the id, the session and what was seen', async () => {
  const { phone } = await world();
  const { trivet, use } = phone();
  const guest = await trivet.auth.signInAsGuest();
  expect(guest.isGuest).toBe(true);
  expect(await trivet.auth.signInAsGuest()).toEqual(guest);
  expect(await use()).toBe(1);
  const user = await trivet.auth.link(await identity('new@example.org'));
  expect(user).toMatchObject({ userId: guest.userId, email: 'new@example.org' });
  expect(user.isGuest).toBeUndefined();
  expect(await use()).toBe(0);
  expect(await trivet.auth.identities()).toMatchObject([{ provider: 'dev' }]);
});

test.each(['the guest first', 'the user first'])('an identity that is known: %s', async (order) => {
  const { phone } = await world();
  const old = phone();
  await old.trivet.auth.signIn(await identity(`known-${order.length}@example.org`));
  const { userId } = old.trivet.auth.session() ?? {};
  const fresh = phone();
  const guest = await fresh.trivet.auth.signInAsGuest();
  if (order === 'the user first') expect(await old.use()).toBe(1);
  else expect(await fresh.use()).toBe(1);

  const email = `known-${order.length}@example.org`;
  const refused = await fresh.trivet.auth.link(await identity(email)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'IDENTITY_IN_USE', status: 409 });
  expect(fresh.trivet.auth.session()).toMatchObject({ userId: guest.userId, isGuest: true });

  const user = await fresh.trivet.auth.link({ ...(await identity(email)), onConflict: 'switch' });
  expect(user.userId).toBe(String(userId));
  expect(await fresh.use()).toBe(0);
  expect(await old.use()).toBe(0);
});

test("what the guest could not send becomes the user's on this device", async () => {
  const { phone } = await world();
  const old = phone();
  await old.trivet.auth.signIn(await identity('late@example.org'));
  const fresh = phone();
  const guest = await fresh.trivet.auth.signInAsGuest();
  await fresh.trivet.cta.launch();
  fresh.network.isAway = true;
  fresh.trivet.cta.track('open');
  fresh.trivet.cta.track('close');
  await fresh.trivet.auth.link({ ...(await identity('late@example.org')), onConflict: 'switch' });
  expect(fresh.trivet.cta.pending()).toBe(1);
  fresh.network.isAway = false;
  await fresh.trivet.cta.flush();
  expect(fresh.trivet.cta.pending()).toBe(0);
  expect(fresh.users.at(-1)).not.toBe(guest.userId);
  expect(await old.use()).toBe(0);
  expect(await fresh.use()).toBe(0);
});

/** @see sdk/README.md, link: with `switch` the user gets what the guest did, also what was not sent. */
test('what the guest did and the server could not take arrives in the name of the user', async () => {
  const { phone } = await world();
  const old = phone();
  const { userId } = await old.trivet.auth.signIn(await identity('measured@example.org'));
  const { trivet, network, storage, sent, time, tenantId } = phone();
  const guest = await trivet.auth.signInAsGuest();
  await trivet.cta.launch();
  network.refuses = '/cta/events/';
  trivet.cta.measure('custom', {}, { name: 'as a guest' });
  await trivet.cta.flush();
  await trivet.auth.link({ ...(await identity('measured@example.org')), onConflict: 'switch' });
  trivet.cta.measure('custom', {}, { name: 'as a user' });
  await trivet.cta.flush();
  network.refuses = '';
  time.advance(120_000);
  await trivet.cta.flush();
  const events = sent.filter(([path]) => path === '/cta/events/');
  expect(events.map(([, user]) => user)).toEqual(events.map(() => userId));
  const bodies = events.map(([, , body]) => body).join('');
  expect(['as a guest', 'as a user'].map((name) => bodies.split(name).length - 1)).toEqual([1, 1]);
  for (const id of [guest.userId, userId])
    expect([id, storage.get(`trivet:${tenantId}:${id}:measures`)]).toEqual([id, null]);
});

/** @see sdk/README.md, Sign-in: the identity was linked to whoever had signed in while the guest's changes were being sent. */
test.each(['signs in', 'signs out'])('a link is not for somebody who %s meanwhile', async (what) => {
  const { phone } = await world();
  const { trivet, network, sent } = phone();
  await trivet.auth.signInAsGuest();
  await trivet.cta.launch();
  trivet.cta.track('open');
  const { promise, resolve: arrives } = Promise.withResolvers<void>();
  network.until = promise;
  const linked = trivet.auth.link(await identity('theirs@example.org')).catch((error: unknown) => error);
  if (what === 'signs in') await trivet.auth.signIn(await identity('mine@example.org'));
  else await trivet.auth.signOut();
  arrives();
  expect(await linked).toMatchObject(
    what === 'signs in' ? { email: 'mine@example.org' } : { code: 'UNAUTHENTICATED' },
  );
  expect(sent.filter(([path]) => path === '/v1/auth/link')).toEqual([]);
});

/** @see sdk/README.md, link: a refused ID token was sent twice, and the session refreshed, as if the access token had been refused. */
test.each<[string, string, string, string[]]>([
  ['an ID token', 'INVALID_ID_TOKEN', 'not.a.token', ['link']],
  ['an access token', 'UNAUTHENTICATED', '', ['link', 'token/refresh', 'link']],
])('a link with %s that is refused', async (_, code, idToken, expected) => {
  const { phone } = await world();
  const { trivet, network, sent, time } = phone();
  await trivet.auth.signInAsGuest();
  time.advance(10_000);
  const refused = Response.json({ error: { code, message: 'No.' } }, { status: 401 });
  if (code === 'UNAUTHENTICATED') network.next = refused;
  sent.length = 0;
  const given = idToken ? { provider: 'dev', idToken } : await identity('refused@example.org');
  const linked = await trivet.auth.link(given).catch((error: unknown) => error);
  expect(linked).toMatchObject(idToken ? { code, status: 401 } : { email: 'refused@example.org' });
  expect(sent.map(([path]) => path.replace('/v1/auth/', ''))).toEqual(expected);
});

test('a guest signs out everywhere: the one session ends', async () => {
  const { phone } = await world();
  const { trivet } = phone();
  await trivet.auth.signInAsGuest();
  const token = await trivet.auth.accessToken();
  await trivet.auth.signOut({ everywhere: true });
  expect(trivet.auth.session()).toBeNull();
  const answer = await server.fetch('/v1/auth/token/verify', {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await answer.json()).toEqual({ isAuthTokenValid: false });
});
