import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { startTestKernel, stillClock } from '../../test/kernel.ts';
import type { Lifecycle } from '../base/environment.ts';
import { memoryStorage, type TrivetStorage } from '../base/storage.ts';
import { sharedStorage } from '../testing/shared-storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createAuth } from './auth.ts';

/* Against a real server: a storage that cannot be read or written for a while (a locked phone, a quota) signs nobody out. */
const clock = stillClock();
const server = await startTestKernel({ clock });
afterAll(() => server.stop());

const key = 'trivet:default:session';
const identity = async (name: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, `${name}@example.org`, crypto.randomUUID()),
});
const isLive = async (token: string | null) => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await server.fetch('/v1/auth/token/verify', { headers });
  return ((await answer.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

type Broken = 'get' | 'set' | 'remove';
/** A storage of which some methods fail. */
function failing(inner: TrivetStorage, isAsync: boolean) {
  const broken = new Set<Broken>();
  const run = <T>(method: Broken, work: () => T): T => {
    if (!isAsync && broken.has(method)) throw new Error('locked');
    const answer = broken.has(method) ? Promise.reject(new Error('locked')) : Promise.resolve(work());
    return isAsync ? (answer as T) : work();
  };
  const storage: TrivetStorage = {
    ...inner,
    get: (name) => run('get', () => inner.get(name)),
    set: (name, value) => run('set', () => inner.set(name, value)),
    remove: (name) => run('remove', () => inner.remove(name)),
  };
  return { storage, broken };
}
function app(storage: TrivetStorage) {
  const time = testClock(clock.now());
  const changes: Array<string | null> = [];
  const errors: string[] = [];
  const lifecycle: { see: Parameters<Lifecycle>[0] } = { see: () => {} };
  const auth = createAuth({
    url: server.origin,
    storage,
    fetch,
    now: time.now,
    later: time.later,
    lifecycle: (listener) => {
      lifecycle.see = listener;
      return () => {};
    },
    onError: ({ code }) => errors.push(code),
  });
  auth.on('change', (session) => changes.push(session?.userId ?? null));
  const pass = async (ms: number) => {
    clock.advance(ms);
    time.advance(ms);
    await Bun.sleep(10);
  };
  return { auth, changes, errors, lifecycle, pass };
}

/** @see sdk/README.md: only the server's refusal signs a user out; a storage that failed once did, too. */
test.each<[string, boolean, Broken[]]>([
  ['cannot be read', true, ['get']],
  ['cannot be read', false, ['get']],
  ['cannot be used at all', true, ['get', 'set', 'remove']],
  ['cannot be used at all', false, ['get', 'set', 'remove']],
  ['is full', true, ['set']],
  ['is full', false, ['set']],
])('the storage %s (a promise: %p) while the session is refreshed', async (_, isAsync, methods) => {
  const inner = memoryStorage();
  const { storage, broken } = failing(inner, isAsync);
  const { auth, changes, errors, lifecycle, pass } = app(storage);
  const { userId } = await auth.signIn(await identity('ann'));
  await pass(10_000);
  const before = await auth.accessToken();
  for (const method of methods) broken.add(method);
  lifecycle.see(true);
  await Bun.sleep(5);
  const during = await auth.accessToken({ minTtl: 895 });
  expect([during === before, await isLive(during)]).toEqual([false, true]);
  broken.clear();
  await pass(10_000);
  expect(await isLive(await auth.accessToken({ minTtl: 895 }))).toBe(true);
  expect([auth.session()?.userId, changes.includes(null), errors]).toEqual([
    userId,
    false,
    ['STORAGE_FAILED'],
  ]);
  const next = app(inner);
  await next.pass(850_000);
  expect(await isLive(await next.auth.accessToken())).toBe(true);
});

test.each([true, false])('a storage that cannot be read at the start (a promise: %p)', async (isAsync) => {
  const inner = memoryStorage();
  const { userId } = await app(inner).auth.signIn(await identity('bob'));
  const { storage, broken } = failing(inner, isAsync);
  broken.add('get');
  const { auth, lifecycle } = app(storage);
  expect(await auth.accessToken()).toBeNull();
  broken.clear();
  lifecycle.see(true);
  await Bun.sleep(5);
  expect(auth.session()?.userId).toBe(userId);
});

test('tabs: one that cannot store what it refreshed signs the others not out', async () => {
  const shared = sharedStorage();
  const { storage, broken } = failing(shared.tab(), false);
  const one = app(storage);
  const two = app(shared.tab());
  const { userId } = await one.auth.signIn(await identity('cat'));
  await one.pass(10_000);
  broken.add('set');
  expect(await isLive(await one.auth.accessToken({ minTtl: 895 }))).toBe(true);
  await Bun.sleep(5);
  expect([two.auth.session()?.userId, two.changes]).toEqual([userId, [userId]]);
  for (const { auth, pass } of [two, one, two, one]) {
    await pass(850_000);
    expect(await isLive(await auth.accessToken({ minTtl: 100 }))).toBe(true);
  }
  expect([...one.changes, ...two.changes]).not.toContain(null);
});

test('a refresh whose answer comes after a sign-out signs nobody in, although the storage cannot be read', async () => {
  const { storage, broken } = failing(memoryStorage(), false);
  const { auth, pass } = app(storage);
  await auth.signIn(await identity('fay'));
  await pass(10_000);
  broken.add('get');
  const token = auth.accessToken({ minTtl: 895 });
  await auth.signOut();
  expect([await token, auth.session()]).toEqual([null, null]);
});

test('the session of the user before does not stay stored when that of the next one cannot be', async () => {
  const inner = memoryStorage();
  const { storage, broken } = failing(inner, false);
  const { auth } = app(storage);
  await auth.signIn(await identity('dan'));
  broken.add('set');
  await auth.signIn(await identity('eve'));
  expect([auth.session()?.email, inner.get(key)]).toEqual(['eve@example.org', null]);
});
