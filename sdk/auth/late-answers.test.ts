import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { startTestKernel, stillClock } from '../../test/kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createAuth, type Auth, type Session } from './auth.ts';

/* Against a real server: who is signed in when answers come in another order than they were asked for. */
const clock = stillClock();
const server = await startTestKernel({ clock, settings: { guests: 'true' } });
afterAll(() => server.stop());

const key = 'trivet:default:session';
const identity = async (name: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, `${name}@example.org`, crypto.randomUUID()),
});
const isLive = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await server.fetch('/v1/auth/token/verify', { headers });
  return ((await answer.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
};

function app() {
  const storage = memoryStorage();
  const given: string[] = [];
  const requests: string[] = [];
  const waiting: Array<() => void> = [];
  const network = { isSlow: false };
  const auth = createAuth({
    url: server.origin,
    storage,
    fetch: async (input, init) => {
      requests.push(input.replace(server.origin, ''));
      const { isSlow } = network;
      const response = await fetch(input, init);
      const { accessToken } = (await response.clone().json()) as { accessToken?: string };
      if (accessToken !== undefined) given.push(accessToken);
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return response;
    },
    now: clock.now,
    later: testClock(clock.now()).later,
    lifecycle: () => () => {},
    onError: () => {},
  });
  return { auth, storage, given, requests, waiting, network };
}
const who = (session: Session | null) =>
  session && (session.isGuest ? 'guest' : session.email?.split('@')[0]);

type Call = (auth: Auth) => Promise<unknown>;
const signIn =
  (name: string): Call =>
  async (auth) =>
    auth.signIn(await identity(name));
const refused: Call = (auth) => auth.signIn({ provider: 'dev', idToken: 'x.y.z' }).catch(() => null);
const guest: Call = (auth) => auth.signInAsGuest();
const signOut: Call = (auth) => auth.signOut();
const link =
  (name: string): Call =>
  async (auth) =>
    auth.link({ ...(await identity(name)), onConflict: 'switch' });

const ended = 'UNAUTHENTICATED';
/** @see sdk/README.md, Sign-in: an answer that came late replaced who had signed in meanwhile. */
test.each<[string, Call[], Call, Call[], string | null, string]>([
  ['a guest, then a sign-in', [], guest, [signIn('ann')], 'ann', 'ann'],
  ['a sign-in, then a sign-out', [], signIn('ann'), [signOut], null, ended],
  ['a second sign-in, then a sign-out', [signIn('ann')], signIn('bob'), [signOut], null, ended],
  ['a sign-in, then another', [], signIn('ann'), [signIn('bob')], 'bob', 'bob'],
  ['a sign-in, then one that fails', [], signIn('ann'), [refused], 'ann', 'ann'],
  ['a sign-in, a sign-out and a guest', [], signIn('ann'), [signOut, guest], 'guest', 'guest'],
  ['a guest, a sign-out and a guest', [], guest, [signOut, guest], 'guest', 'guest'],
  ['a switch, then a sign-out', [signIn('cat'), signOut, guest], link('cat'), [signOut], null, ended],
  ['a switch, then a sign-in', [signIn('cat'), signOut, guest], link('cat'), [signIn('ann')], 'ann', 'ann'],
  ['a link, then a sign-out', [guest], link('new'), [signOut], null, ended],
])('the answer comes last: %s', async (_, before, late, meanwhile, expected, settlesTo) => {
  const { auth, storage, given, waiting, network } = app();
  for (const call of before) await call(auth);
  network.isSlow = true;
  const asked = given.length;
  const slow = late(auth).then(
    (session) => who(session as Session),
    ({ code }: { code: string }) => code,
  );
  while (waiting.length === 0) await Bun.sleep(1);
  network.isSlow = false;
  for (const call of meanwhile) await call(auth);
  const current = auth.session();
  for (const arrive of waiting) arrive();
  expect([await slow, who(auth.session())] as unknown[]).toEqual([settlesTo, expected]);
  if (who(current) !== who(auth.session())) return;
  expect(auth.session()).toEqual(current);
  expect(storage.get(key) ?? null).toEqual(current ? expect.any(String) : null);
  await Bun.sleep(30);
  // The session that nobody holds is over, and the one that is held lives.
  expect(await isLive(given[asked] ?? '')).toBe(false);
  if (current) expect(await isLive((await auth.accessToken()) ?? '')).toBe(true);
});

test('two links at once: the later answer does not end the session that both are of', async () => {
  const { auth, waiting, network } = app();
  await guest(auth);
  await link('dan')(auth);
  network.isSlow = true;
  const first = link('dan-2')(auth);
  while (waiting.length === 0) await Bun.sleep(1);
  network.isSlow = false;
  await link('dan-3')(auth);
  waiting[0]?.();
  await first;
  await Bun.sleep(30);
  expect(await isLive((await auth.accessToken()) ?? '')).toBe(true);
  clock.advance(850_000);
  expect(await isLive((await auth.accessToken({ minTtl: 800 })) ?? '')).toBe(true);
  expect(await auth.identities()).toHaveLength(3);
});

test('a link whose session another tab has ended signs nobody in', async () => {
  const { auth, storage, waiting, network } = app();
  await guest(auth);
  let tell: (key: string, value: string | null) => void = () => {};
  const shared = { ...storage, subscribe: (listener: typeof tell) => ((tell = listener), () => {}) };
  const tab = createAuth({
    url: server.origin,
    storage: shared,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (network.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return response;
    },
    now: clock.now,
    later: () => () => {},
    lifecycle: () => () => {},
    onError: () => {},
  });
  tab.session();
  network.isSlow = true;
  const late = link('eve')(tab).catch((error: unknown) => error);
  while (waiting.length === 0) await Bun.sleep(1);
  network.isSlow = false;
  await auth.signOut();
  tell(key, null);
  waiting[0]?.();
  expect(await late).toMatchObject({ code: ended });
  expect(tab.session()).toBeNull();
});

test('who asks twice to be a guest is one guest', async () => {
  const { auth, requests } = app();
  const [one, two] = await Promise.all([auth.signInAsGuest(), auth.signInAsGuest()]);
  expect(one).toEqual(two);
  expect(requests).toEqual(['/v1/auth/guest']);
  await auth.signOut();
  expect((await auth.signInAsGuest()).userId).not.toBe(one.userId);
});
