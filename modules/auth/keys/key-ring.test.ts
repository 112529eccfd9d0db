import { afterAll, describe, expect, test } from 'bun:test';
import { decodeProtectedHeader } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { rejectionOf } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { audit, signingKeys } from '../base/schema.ts';
import { rotateKeys } from './key-ring.ts';

const clock = stillClock();
const day = 86_400_000;
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());

const published = async () =>
  ((await (await trivet.fetch('/.well-known/jwks.json')).json()) as { keys: Array<Record<string, string>> })
    .keys;
const isLive = async (token: string) =>
  await (
    await trivet.fetch('/v1/auth/token/verify', { headers: { authorization: `Bearer ${token}` } })
  ).json();
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const rows = () => trivet.kernel.host.db.q.select().from(signingKeys);

describe('signing keys', () => {
  test('50 first sign-ins at once make one key; its private half is stored wrapped and never published', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => trivet.signIn(`p${i}@example.org`)));
    expect(new Set(all.map(({ accessToken }) => kidOf(accessToken))).size).toBe(1);
    const [key] = await rows();
    expect(key?.privateWrapped).toMatch(/^[A-Za-z0-9+/=]+$/);
    expect(JSON.stringify(key?.publicJwk)).not.toContain('"d"');
    for (const one of await published())
      expect(Object.keys(one).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test('the next key is published a day before it signs, and the last one verifies until its tokens have ended', async () => {
    const old = await trivet.signIn('ann@example.org');
    clock.advance(29 * day);
    await rotateKeys(trivet.kernel.host);
    clock.advance(61_000);
    const before = await trivet.signIn('ann@example.org');
    expect(kidOf(before.accessToken)).toBe(kidOf(old.accessToken) ?? '');
    const [, coming] = await published();
    expect(await published()).toHaveLength(2);

    clock.advance(day);
    await rotateKeys(trivet.kernel.host);
    // A token that was signed by a process which has not looked yet.
    const late = await trivet.signIn('ann@example.org');
    clock.advance(61_000);
    const after = await trivet.signIn('ann@example.org');
    expect(kidOf(after.accessToken)).toBe(coming?.['kid'] ?? '');
    expect(await isLive(late.accessToken)).toEqual({ isAuthTokenValid: true });
    expect(await isLive(after.accessToken)).toEqual({ isAuthTokenValid: true });

    clock.advance(3 * 3_600_000);
    await rotateKeys(trivet.kernel.host);
    clock.advance(61_000);
    expect((await published()).map(({ kid }) => kid)).toEqual([String(coming?.['kid'])]);
  });

  test('rotating from eight callers at once makes one key', async () => {
    const count = (await rows()).length;
    await Promise.all(Array.from({ length: 8 }, () => rotateKeys(trivet.kernel.host, 'soon')));
    expect(await rows()).toHaveLength(count + 1);
  });

  /** @see `keys rotate` without TRIVET_MASTER_KEY made the next key under a new one: a day later nobody could sign in. */
  test('another master key turns nothing, unless what it cannot open is taken away', async () => {
    const here = await startTestKernel({ clock });
    await here.signIn('ann@example.org');
    const elsewhere = { location: here.location, directory: temporaryDirectory('data') };
    const { kernel, stop } = await startTestKernel({ clock, again: elsewhere });
    const keys = () => kernel.host.db.q.select().from(signingKeys);
    const [old] = await keys();
    for (const asked of ['soon', 'now'] as const)
      expect(await rejectionOf(rotateKeys(kernel.host, asked))).toMatchObject({ code: 'KEYS_UNREADABLE' });
    expect(await keys()).toEqual(old ? [old] : []);
    expect(await rotateKeys(kernel.host, null, old?.kid)).toMatchObject({ make: 'active', drop: [old?.kid] });
    await stop();
    await here.stop();
  });

  /** @see the keys were read again for an unknown kid only 5 s after they had been read: until then, a live token was false. */
  test('what another process signed with a key it just made verifies here at once, whatever was read before', async () => {
    // Kernels on the same data and under one name, as behind a load balancer. A new one reads its keys when it signs.
    const here = await startTestKernel({ clock });
    const verifies = async () => {
      const there = await startTestKernel({ clock, again: here });
      there.kernel.listening(here.origin);
      const { accessToken } = await there.signIn('dora@example.org');
      const headers = { authorization: `Bearer ${accessToken}` };
      const answer = await (await here.fetch('/v1/auth/token/verify', { headers })).json();
      await there.stop();
      return { answer, kid: kidOf(accessToken) };
    };
    // Reads an empty database, then one with a key, then with another, each time just before the next key is created.
    const kids: unknown[] = [];
    for (let round = 0; round < 4; round++) {
      await here.fetch('/.well-known/jwks.json');
      if (round > 0) await rotateKeys(here.kernel.host, 'now');
      const { answer, kid } = await verifies();
      expect(answer).toEqual({ isAuthTokenValid: true });
      kids.push(kid);
    }
    expect(new Set(kids).size).toBe(4);
    await here.stop();
  });

  test('a key that leaked is dropped: its tokens are refused, another one signs', async () => {
    const leaked = await trivet.signIn('bob@example.org');
    const kid = String(kidOf(leaked.accessToken));
    await rotateKeys(trivet.kernel.host, null, kid);
    clock.advance(61_000);
    expect(await isLive(leaked.accessToken)).toEqual({ isAuthTokenValid: false });
    const fresh = await trivet.signIn('bob@example.org');
    expect(kidOf(fresh.accessToken)).not.toBe(kid);
    expect(await isLive(fresh.accessToken)).toEqual({ isAuthTokenValid: true });
  });

  test('nor does one stay good because the clock was set back', async () => {
    await isLive((await trivet.signIn('bob@example.org')).accessToken);
    clock.advance(-3_600_000);
    const leaked = await trivet.signIn('bob@example.org');
    expect(await isLive(leaked.accessToken)).toEqual({ isAuthTokenValid: true });
    await rotateKeys(trivet.kernel.host, null, String(kidOf(leaked.accessToken)));
    clock.advance(10_000);
    expect(await isLive(leaked.accessToken)).toEqual({ isAuthTokenValid: false });
    clock.advance(3_600_000);
  });

  test('while keys turn again and again, no verify of a live token fails', async () => {
    const { host } = trivet.kernel;
    for (let round = 0; round < 20; round++) {
      const { accessToken } = await trivet.signIn('carl@example.org');
      const verifying = Array.from({ length: 10 }, () => isLive(accessToken));
      await rotateKeys(host, 'now');
      clock.advance(10_000);
      expect(await Promise.all(verifying)).toEqual(
        Array.from({ length: 10 }, () => ({ isAuthTokenValid: true })),
      );
      expect(await isLive(accessToken)).toEqual({ isAuthTokenValid: true });
    }
  });

  test('every turn is in the audit', async () => {
    const events = (await trivet.kernel.host.db.q.select().from(audit)).filter(
      ({ event }) => event === 'key_rotated',
    );
    expect(new Set(events.map(({ cause }) => cause))).toEqual(
      new Set(['active', 'next', 'activated', 'dropped']),
    );
  });
});

describe.each(['RS256', 'EdDSA'])('signing with %s', (algorithm) => {
  test('tokens verify', async () => {
    const server = await startTestKernel({ settings: { 'signing-algorithm': algorithm } });
    const { accessToken } = await server.signIn('a@b.co');
    expect(decodeProtectedHeader(accessToken).alg).toBe(algorithm);
    const response = await server.fetch('/v1/auth/token/verify', {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(await response.json()).toEqual({ isAuthTokenValid: true });
    await server.stop();
  });
});

test('the public keys are answered while the database cannot be read, once they were', async () => {
  const still = stillClock();
  const server = await startTestKernel({ clock: still });
  const keys = async () => {
    const response = await server.fetch('/.well-known/jwks.json');
    return [response.status, await response.json()] as const;
  };
  await server.signIn('a@b.co');
  const before = await keys();
  await server.kernel.host.db.close();
  still.advance(10_000);
  expect(await keys()).toEqual(before);
  await server.stop();
});
