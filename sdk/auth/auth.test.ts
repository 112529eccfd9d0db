import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { stillClock, startTestKernel } from '../../test/kernel.ts';
import { rejectionOf } from '../../test/rejection.ts';
import type { Trouble } from '../base/environment.ts';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { sharedStorage } from '../testing/shared-storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createAuth, type Session, type TrivetError } from './auth.ts';

/* Against a real server, on its own clock: what happens to the session of an app. */
const clock = stillClock();
const server = await startTestKernel({ clock });
afterAll(() => server.stop());

const key = 'trivet:default:session';
const idToken = (email: string) => mintDevIdToken(server.kernel.host, email, crypto.randomUUID());
type Network = 'works' | 'is away' | 'loses the answer' | Response | { readonly until: Promise<unknown> };

function app(
  storage: TrivetStorage = memoryStorage(),
  options: { url?: string; isFrozen?: boolean; time?: ReturnType<typeof testClock> } = {},
) {
  const time = options.time ?? testClock(clock.now());
  const errors: Trouble[] = [];
  const changes: Array<Session | null> = [];
  const requests: string[] = [];
  const state: { network: Network } = { network: 'works' };
  const auth = createAuth({
    url: options.url ?? server.origin,
    storage,
    fetch: async (input, init) => {
      // auth.fetch hands on what it was given.
      const path = String(input).replace(server.origin, '');
      requests.push(`${init.method ?? 'GET'} ${path}`);
      const { network } = state;
      if (network === 'is away') throw new TypeError('offline');
      if (network instanceof Response) return network.clone();
      const response = await fetch(input, init);
      if (network === 'loses the answer') throw new TypeError('lost');
      if (typeof network === 'object' && 'until' in network) await network.until;
      return response;
    },
    now: time.now,
    random: () => 0.5,
    later: options.isFrozen ? () => () => {} : time.later,
    lifecycle: () => () => {},
    onError: (trouble) => errors.push(trouble),
  });
  auth.on('change', (session) => changes.push(session));
  /** Time passes for the device and the server. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    time.advance(ms);
    await Bun.sleep(20);
  };
  return { auth, time, errors, changes, requests, state, storage, pass };
}
async function signedIn(email: string, storage?: TrivetStorage, time?: ReturnType<typeof testClock>) {
  const one = app(storage, time && { time });
  await one.auth.signIn({ provider: 'dev', idToken: await idToken(email) });
  return one;
}
const verify = async (token: string | null) => {
  const answer = await server.fetch('/v1/auth/token/verify', {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

test('a person signs in: session, token, change, and what survives the process', async () => {
  const first = await signedIn('ann@example.org');
  const session = first.auth.session();
  expect(session).toMatchObject({ email: 'ann@example.org', expiresAt: clock.now() + 900_000 });
  expect(session?.userId).toMatch(/^\d+$/);
  expect(await verify(await first.auth.accessToken())).toBe(true);
  expect(first.changes).toEqual([session]);
  const second = app(first.storage);
  expect(second.auth.session()).toEqual(session);
  expect(await second.auth.accessToken()).toBe(await first.auth.accessToken());
});

/** @see Without the cause, an app whose ID token had expired learned only that it was not valid. */
test.each<[string, { provider: string; idToken: string }, string, string | undefined]>([
  ['an unknown provider', { provider: 'nobody', idToken: 'x.y.z' }, 'UNKNOWN_ID_PROVIDER', undefined],
  ['a forged token', { provider: 'dev', idToken: 'x.y.z' }, 'INVALID_ID_TOKEN', 'malformed'],
  ['no token', { provider: 'dev', idToken: '' }, 'INVALID_REQUEST', 'identifier'],
])(
  'signing in with %s fails with the code and the cause of the server, and leaves no session',
  async (_, identity, code, cause) => {
    const one = app();
    const failed = (await rejectionOf(one.auth.signIn(identity))) as TrivetError;
    expect([failed.code, failed.cause]).toEqual([code, cause]);
    expect(one.auth.session()).toBeNull();
    expect(one.storage.get(key) ?? null).toBeNull();
  },
);

test.each([
  ['a server that is away', 'http://127.0.0.1:1', 'UNREACHABLE'],
  ['a text that is no URL', 'nonsense', 'UNREACHABLE'],
])('%s', async (_, url, code) => {
  const one = app(memoryStorage(), { url });
  const failed = await one.auth.signIn({ provider: 'dev', idToken: 'x' }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code });
});

/** @see accessToken waited for ever. */
test('a clock that stands still, as in the tests of an app, does not keep a refresh', async () => {
  const storage = memoryStorage();
  await signedIn('still@example.org', storage);
  const at = clock.now();
  const auth = createAuth({
    url: server.origin,
    storage,
    fetch,
    now: () => at,
    random: () => 0.5,
    later: (_, work) => {
      const timer = setTimeout(work, 1);
      return () => clearTimeout(timer);
    },
    lifecycle: () => () => {},
    onError: () => {},
  });
  expect(await verify(await auth.accessToken({ minTtl: 100_000 }))).toBe(true);
}, 5_000);

test('the token is refreshed before its end, once, however many ask', async () => {
  const one = await signedIn('ben@example.org');
  const before = await one.auth.accessToken();
  one.requests.length = 0;
  clock.advance(841_000);
  one.time.advance(700_000);
  const tokens = await Promise.all(Array.from({ length: 20 }, () => one.auth.accessToken({ minTtl: 850 })));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).not.toBe(before);
  expect(one.requests).toEqual(['POST /v1/auth/token/refresh']);
  expect(await verify(tokens[0] ?? null)).toBe(true);
});

test('the timer refreshes by itself', async () => {
  const one = await signedIn('cat@example.org');
  const before = await one.auth.accessToken();
  await one.pass(840_000);
  await Bun.sleep(50);
  expect(one.changes).toHaveLength(2);
  expect(await one.auth.accessToken()).not.toBe(before);
});

test.each<[string, Network]>([
  ['the server is away', 'is away'],
  ['the answer is lost', 'loses the answer'],
  ['503', new Response('{}', { status: 503 })],
  ['429', new Response('{}', { status: 429, headers: { 'retry-after': '1' } })],
  ['403', new Response('{"error":{"code":"ACCESS_DENIED","message":"Disabled."}}', { status: 403 })],
  [
    '401 of something else',
    new Response('{"error":{"code":"UNAUTHENTICATED","message":"No."}}', { status: 401 }),
  ],
  ['the page of a hotel', new Response('<html>', { status: 200 })],
])(
  'while %s the session stays; the token is used while it lives, then asking rejects',
  async (_, network) => {
    const one = await signedIn('dan@example.org');
    const before = await one.auth.accessToken();
    one.state.network = network;
    clock.advance(850_000);
    one.time.advance(850_000);
    expect(await one.auth.accessToken()).toBe(before);
    clock.advance(60_000);
    one.time.advance(60_000);
    await Bun.sleep(30);
    const rejected = await one.auth.accessToken().catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(Error);
    const refused = await one.auth
      .fetch(`${server.origin}/v1/auth/sessions`)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(one.auth.session()).not.toBeNull();
    expect(one.errors.length).toBeGreaterThan(0);
    one.state.network = 'works';
    await one.pass(60_000);
    await one.pass(60_000);
    expect(await verify(await one.auth.accessToken())).toBe(true);
    expect(one.changes.every((session) => session !== null)).toBe(true);
  },
);

test('after a failure it waits 1, 2, 4 … seconds', async () => {
  const one = await signedIn('eve@example.org');
  one.state.network = 'is away';
  one.requests.length = 0;
  one.time.advance(840_000);
  const tries: number[] = [];
  for (let second = 0; second < 20; second++) {
    await Bun.sleep(3);
    one.time.advance(1_000);
    await Bun.sleep(3);
    tries.push(one.requests.length);
  }
  expect(tries).toEqual([2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5]);
});

test('a session that another device ended signs out, and only then', async () => {
  const one = await signedIn('fay@example.org');
  const other = await signedIn('fay@example.org');
  await other.auth.signOut({ everywhere: true });
  expect(other.auth.session()).toBeNull();
  clock.advance(850_000);
  one.time.advance(850_000);
  expect(await one.auth.accessToken()).toBeNull();
  expect(one.auth.session()).toBeNull();
  expect(one.changes.at(-1)).toBeNull();
  expect(one.storage.get(key) ?? null).toBeNull();
});

test('auth.fetch: one refresh and one repeat after a 401', async () => {
  const one = await signedIn('gil@example.org');
  const seen: Array<string | null> = [];
  const backend = Bun.serve({
    port: 0,
    fetch: (request) => {
      seen.push(request.headers.get('authorization'));
      return new Response(null, { status: seen.length === 1 ? 401 : 200 });
    },
  });
  clock.advance(2_000);
  one.time.advance(2_000);
  const answer = await one.auth.fetch(`http://127.0.0.1:${backend.port}/`, { method: 'POST', body: 'x' });
  expect(answer.status).toBe(200);
  expect(seen).toHaveLength(2);
  expect(seen[0]).not.toBe(seen[1]);
  seen.length = 0;
  const always = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 401 }) });
  one.requests.length = 0;
  clock.advance(2_000);
  one.time.advance(2_000);
  expect((await one.auth.fetch(`http://127.0.0.1:${always.port}/`)).status).toBe(401);
  expect(one.requests.filter((path) => path.endsWith('refresh'))).toHaveLength(1);
  void backend.stop(true);
  void always.stop(true);
});

test('signing out here ends the session on the server; without network at the next start', async () => {
  const one = await signedIn('hal@example.org');
  const token = await one.auth.accessToken();
  await one.auth.signOut();
  expect(await verify(token)).toBe(false);
  expect(one.auth.session()).toBeNull();

  const two = await signedIn('hal@example.org');
  const live = await two.auth.accessToken();
  two.state.network = 'is away';
  await two.auth.signOut();
  expect(two.auth.session()).toBeNull();
  expect(await verify(live)).toBe(true);
  const next = app(two.storage);
  expect(next.auth.session()).toBeNull();
  await Bun.sleep(50);
  expect(await verify(live)).toBe(false);

  const three = await signedIn('hal@example.org');
  three.state.network = 'is away';
  expect(await three.auth.signOut({ everywhere: true }).catch((error: unknown) => error)).toBeInstanceOf(
    Error,
  );
  expect(three.auth.session()).not.toBeNull();
});

test('sessions: they are listed, and one is ended', async () => {
  const one = await signedIn('ida@example.org');
  const other = await signedIn('ida@example.org');
  const sessions = await one.auth.sessions();
  expect(sessions).toHaveLength(2);
  for (const { sessionId } of sessions.slice(0, 1)) await one.auth.endSession(sessionId);
  const live = [await verify(await one.auth.accessToken()), await verify(await other.auth.accessToken())];
  expect(live.filter(Boolean)).toHaveLength(1);
});

test.each(['{', 'null', '{}', '{"access":"a.b.c","refresh":"r","ttl":1,"at":1}', '[]'])(
  'corrupt storage %s is nobody, told once, and signing in works',
  async (text) => {
    const storage = memoryStorage();
    storage.set(key, text);
    const one = app(storage);
    expect(one.auth.session()).toBeNull();
    expect(await one.auth.accessToken()).toBeNull();
    expect(one.errors.map(({ code }) => code)).toEqual(['CORRUPT_STORAGE']);
    await one.auth.signIn({ provider: 'dev', idToken: await idToken('jon@example.org') });
    expect(one.auth.session()).not.toBeNull();
  },
);

test.each([-86_400_000 * 365, -3_600_000, 3_600_000, 86_400_000 * 365])(
  'a device clock that jumps by %d ms signs nobody out',
  async (jump) => {
    const one = await signedIn('kim@example.org');
    const text = String(one.storage.get(key));
    const storage = memoryStorage();
    storage.set(key, text);
    const two = app(storage);
    two.time.advance(jump);
    expect(await verify(await two.auth.accessToken())).toBe(true);
    expect(two.auth.session()).not.toBeNull();
  },
);

test('tabs: a refresh of one is taken by the others, and a sign-out signs all out', async () => {
  const shared = sharedStorage();
  const time = testClock(clock.now());
  const one = await signedIn('lea@example.org', shared.tab(), time);
  const two = app(shared.tab(), { time });
  expect(two.auth.session()).toEqual(one.auth.session());
  clock.advance(100_000);
  time.advance(100_000);
  const token = await one.auth.accessToken({ minTtl: 850 });
  await Bun.sleep(5);
  expect(await two.auth.accessToken({ minTtl: 850 })).toBe(token);
  expect(two.requests).toEqual([]);
  await two.auth.signOut();
  await Bun.sleep(5);
  expect(one.auth.session()).toBeNull();
});

test('a tab that slept looks first: the token in its memory is older than the one in storage', async () => {
  const shared = sharedStorage();
  const one = await signedIn('max@example.org', shared.tab());
  // Without events, as a frozen page.
  const asleep = app({ get: shared.get, set: shared.set, remove: shared.remove }, { isFrozen: true });
  expect(asleep.auth.session()).not.toBeNull();
  for (let round = 0; round < 3; round++) {
    clock.advance(850_000);
    one.time.advance(850_000);
    await one.auth.accessToken();
  }
  asleep.time.advance(3 * 850_000);
  expect(await verify(await asleep.auth.accessToken())).toBe(true);
  expect(asleep.requests).toEqual([]);
  expect(await verify(await one.auth.accessToken())).toBe(true);
});

test('commit guard: an answer that comes after a sign-out or another sign-in changes nothing', async () => {
  const shared = sharedStorage();
  for (const happens of ['sign-out', 'sign-in'] as const) {
    const one = await signedIn('ned@example.org', shared.tab());
    const two = app(shared.tab());
    const { promise: until, resolve: arrives } = Promise.withResolvers<void>();
    one.state.network = { until };
    clock.advance(850_000);
    one.time.advance(850_000);
    const asked = one.auth.accessToken();
    await Bun.sleep(20);
    if (happens === 'sign-out') shared.remove(key);
    else await two.auth.signIn({ provider: 'dev', idToken: await idToken('oda@example.org') });
    arrives();
    const token = await asked;
    if (happens === 'sign-out') expect([token, one.auth.session()]).toEqual([null, null]);
    else
      expect([token, one.auth.session()?.email]).toEqual([await two.auth.accessToken(), 'oda@example.org']);
  }
});

test('1,000 refreshes over 10 tabs with 30 % lost answers: nobody is signed out, nothing is a reuse', async () => {
  const shared = sharedStorage();
  const first = await signedIn('pia@example.org', shared.tab());
  const tabs = [first, ...Array.from({ length: 9 }, () => app(shared.tab()))];
  for (const tab of tabs) expect(tab.auth.session()).not.toBeNull();
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  let refreshes = 0;
  while (refreshes < 1_000) {
    clock.advance(850_000);
    for (const tab of tabs) {
      tab.state.network = random() < 0.3 ? 'loses the answer' : 'works';
      tab.requests.length = 0;
      tab.time.advance(850_000);
    }
    await Promise.all(tabs.map((tab) => (random() < 0.8 ? tab.auth.accessToken().catch(() => null) : null)));
    refreshes += tabs.reduce((sum, { requests }) => sum + requests.length, 0);
  }
  for (const tab of tabs) tab.state.network = 'works';
  clock.advance(120_000);
  for (const tab of tabs) tab.time.advance(120_000);
  await Bun.sleep(50);
  for (const tab of tabs) {
    expect(await verify(await tab.auth.accessToken())).toBe(true);
    expect(tab.changes.includes(null)).toBe(false);
  }
}, 60_000);

// A page is kept alive by its tab, a program of Node only by what it waits for.
test('a program of Node does not end while it waits for a fresh token right after the sign-in', async () => {
  const one = await signedIn('process@example.org');
  const built = await Bun.build({
    entrypoints: [new URL('auth.ts', import.meta.url).pathname],
    target: 'node',
    format: 'esm',
  });
  const program = `
    ${await built.outputs[0]?.text()}
    const stored = { ...JSON.parse(${JSON.stringify(one.storage.get(key))}), at: Date.now() };
    const refused = { error: { code: 'UNAUTHENTICATED', message: '' } };
    const auth = createAuth({
      url: 'http://trivet.test',
      storage: { get: () => JSON.stringify(stored), set() {}, remove() {} },
      fetch: async () => new Response(JSON.stringify(refused), { status: 401 }),
      onError() {},
    });
    const failed = await auth.fetch('http://trivet.test/orders').catch((error) => error);
    console.log('went on', failed.code);`;
  const run = Bun.spawn(['node', '--input-type=module', '-e', program], { stdout: 'pipe', stderr: 'ignore' });
  expect(await new Response(run.stdout).text()).toBe('went on UNAUTHENTICATED\n');
  expect(await run.exited).toBe(0);
});

test('the id of an identity is text, as its type says', async () => {
  const one = await signedIn('identity@example.org');
  await one.auth.link({ provider: 'dev', idToken: await idToken('identity-2@example.org') });
  const identities = await one.auth.identities();
  expect(identities.map(({ identityId }) => typeof identityId)).toEqual(['string', 'string']);
  await one.auth.unlink(identities[1]?.identityId ?? '');
  expect((await one.auth.identities()).length).toBe(1);
});
