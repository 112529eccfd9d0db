import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { stillClock, startTestKernel } from '../../test/kernel.ts';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createAuth } from './auth.ts';

/* Against a real server: what becomes of sessions that were signed out while it could not be reached. */
const clock = stillClock();
const server = await startTestKernel({ clock });
afterAll(() => server.stop());

const key = 'trivet:default:session';
const identity = async (email: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, email, crypto.randomUUID()),
});
function app(storage: TrivetStorage) {
  const network = { isAway: false };
  const time = testClock(clock.now());
  const auth = createAuth({
    url: server.origin,
    storage,
    fetch: (input, init) => {
      if (network.isAway) throw new TypeError('offline');
      return fetch(input, init);
    },
    now: time.now,
    later: time.later,
    lifecycle: () => () => {},
  });
  return { auth, network };
}
const verify = async (token: string | null) => {
  const answer = await server.fetch('/v1/auth/token/verify', {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

/** An AsyncStorage: each method answers later. */
function slowStorage(): TrivetStorage {
  const storage = memoryStorage();
  const later = <T>(work: () => T) => Bun.sleep(2).then(work);
  return {
    get: (key) => later(() => storage.get(key) as string | null),
    set: (key, value) => later(() => storage.set(key, value)),
    remove: (key) => later(() => storage.remove(key)),
  };
}

/** @see sdk/README.md, signOut: the server is told at the next start, of each session. */
test.each([
  ['at once', memoryStorage],
  ['later', slowStorage],
])('sessions that were signed out without network end, with a storage that answers %s', async (_, make) => {
  const storage = make();
  const one = app(storage);
  const tokens: Array<string | null> = [];
  for (const [person, isAway] of [
    ['ann', true],
    ['bob', true],
    ['cho', false],
  ] as const) {
    await one.auth.signIn(await identity(`${person}@example.org`));
    tokens.push(await one.auth.accessToken());
    one.network.isAway = isAway;
    await one.auth.signOut();
    one.network.isAway = false;
  }
  await Bun.sleep(20);
  expect(await Promise.all(tokens.map(verify))).toEqual([true, true, false]);
  const next = app(storage);
  next.auth.session();
  await Bun.sleep(100);
  expect(await Promise.all(tokens.map(verify))).toEqual([false, false, false]);
  expect((await storage.get(`${key}-to-end`)) ?? null).toBeNull();
});

test('a session to end that an earlier version has stored', async () => {
  const storage = memoryStorage();
  const one = app(storage);
  await one.auth.signIn(await identity('earlier@example.org'));
  const token = await one.auth.accessToken();
  const { refresh } = JSON.parse(String(storage.get(key))) as { refresh: string };
  storage.remove(key);
  storage.set(`${key}-to-end`, refresh);
  const next = app(storage);
  next.auth.session();
  const giveUpAt = performance.now() + 5_000;
  while (storage.get(`${key}-to-end`) !== null && performance.now() < giveUpAt) await Bun.sleep(5);
  expect(storage.get(`${key}-to-end`)).toBeNull();
  expect(await verify(token)).toBe(false);
});
