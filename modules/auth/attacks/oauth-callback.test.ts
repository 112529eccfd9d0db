import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider, type TestIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { audit, oauthRequests, sessions } from '../base/schema.ts';
import {
  authorizeUrl,
  commandLine,
  newProof,
  openBrowser,
  postForm,
  type Browser,
} from '../testing/browser.ts';
import { startCarelessProvider, type CarelessProvider } from '../testing/careless-provider.ts';

/*
 * The way back from a provider: a real one, and one that checks nothing, so that what Trivet checks itself is seen.
 *
 * Mutation note: seen to fail when the cookie is not compared, and when the row keeps its status. The nonce is compared twice, by the
 * library and here.
 */
const clock = stillClock(Date.now());
let real: TestIdentityProvider;
let careless: CarelessProvider;
let trivet: TestKernel;
beforeAll(async () => {
  real = await startIdentityProvider({ algorithm: 'ES256' });
  careless = await startCarelessProvider();
  const directory = temporaryDirectory('callback');
  const secret = join(directory, 'secret');
  writeFileSync(secret, `${real.clientSecret}\n`, { mode: 0o600 });
  const config = join(directory, 'trivet.toml');
  writeFileSync(
    config,
    `[providers.real]\nissuer = "${real.issuer}"\nclientId = "${real.clientId}"\nclientSecretFile = "${secret}"\nallowedDomains = ["example.org"]\n` +
      `[providers.careless]\nissuer = "${careless.issuer}"\nclientId = "${careless.clientId}"\n`,
  );
  trivet = await startTestKernel({ clock, settings: { config, dev: 'false', 'rate-oauth': '0' } });
  await real.accept(`${trivet.origin}/oauth/callback`);
});
afterAll(async () => {
  await trivet.stop();
  await careless.stop();
  await real.stop();
});

const callback = () => `${trivet.origin}/oauth/callback`;

/** A browser that stops where the provider sends it back, and the address. */
async function atCallback(name: string, browser: Browser = openBrowser(callback(), commandLine.redirectUri)) {
  const { verifier, challenge } = newProof();
  const page = await browser.go(authorizeUrl(trivet, challenge));
  const { left } = await browser.submit(page, { choice: `with ${name}` });
  if (!left?.href.startsWith(callback())) throw new Error(`not sent back: ${String(left)}`);
  return { browser, back: left, verifier };
}

/** Opens the callback in place of the browser that follows redirects there. */
async function comeBack(
  browser: Browser,
  back: URL,
  change: Readonly<Record<string, string | undefined>> = {},
) {
  const url = new URL(back);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return browser.go(url.href);
}

const tokenRequests = () => careless.requests.filter(({ path }) => path === '/token').length;
const sessionCount = async () => (await trivet.kernel.host.db.q.select().from(sessions)).length;

test('a person signs in with a real provider', async () => {
  real.sits('ann@example.org');
  const { browser, back, verifier } = await atCallback('real');
  const { left } = await comeBack(browser, back);
  expect(left?.href.startsWith(commandLine.redirectUri)).toBe(true);
  expect(left?.searchParams.get('state')).toBe('the state of the client');
  const response = await postForm(trivet, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: commandLine.id,
    code: left?.searchParams.get('code') ?? '',
    redirect_uri: commandLine.redirectUri,
    code_verifier: verifier,
  });
  const { access_token: accessToken } = (await response.json()) as { access_token: string };
  const about = await trivet.fetch('/oauth/userinfo', {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(await about.json()).toMatchObject({
    email: 'ann@example.org',
    email_verified: true,
    organizations: [],
  });
});

test('an account that the configuration does not allow: the client learns access_denied, the audit log why', async () => {
  real.sits('ann@evil.example');
  const { browser, back } = await atCallback('real');
  const before = await sessionCount();
  const { left } = await comeBack(browser, back);
  expect(Object.fromEntries(left?.searchParams ?? [])).toMatchObject({
    error: 'access_denied',
    iss: trivet.origin,
  });
  expect(await sessionCount()).toBe(before);
  const rows = await trivet.kernel.host.db.q.select().from(audit);
  expect(rows.at(-1)).toMatchObject({ event: 'sign_in_failed', provider: 'real', cause: 'domain' });
});

describe('a callback', () => {
  test('in another browser, or in one without cookie, is refused; the right one goes on', async () => {
    real.sits('ann@example.org');
    const { browser, back } = await atCallback('real');
    const before = real.requests.filter((path) => path === '/token').length;
    const other = openBrowser(commandLine.redirectUri);
    expect([(await other.go(back.href)).status, (await comeBack(other, back)).left]).toEqual([400, null]);
    const withCookie = await atCallback('careless');
    expect((await comeBack(withCookie.browser, back)).status).toBe(400);
    expect(real.requests.filter((path) => path === '/token').length).toBe(before);
    expect((await comeBack(browser, back)).left?.searchParams.get('code')).toBeTruthy();
  });

  test('with a used, a foreign or no state', async () => {
    const { browser, back } = await atCallback('careless');
    expect((await comeBack(browser, back)).left?.searchParams.get('code')).toBeTruthy();
    const asked = tokenRequests();
    const before = await sessionCount();
    for (const state of [back.searchParams.get('state') ?? '', 'x'.repeat(43), '', undefined]) {
      const page = await comeBack(browser, back, { state });
      expect([state?.length, page.status, page.left]).toEqual([state?.length, 400, null]);
    }
    expect([tokenRequests(), await sessionCount()]).toEqual([asked, before]);
  });

  test('after fifteen minutes', async () => {
    const { browser, back } = await atCallback('careless');
    clock.advance(15 * 60_000);
    expect((await comeBack(browser, back)).status).toBe(400);
    clock.advance(-15 * 60_000);
    expect((await comeBack(browser, back)).left?.searchParams.get('code')).toBeTruthy();
  });

  const issuers: ReadonlyArray<readonly [string, string | undefined]> = [
    ['of another issuer', 'https://evil.example'],
    ['of the issuer with a slash', 'slash'],
    ['without issuer', undefined],
  ];
  test.each(issuers)('%s is refused before its code is sent', async (_title, given) => {
    const iss = given === 'slash' ? `${careless.issuer}/` : given;
    const { browser, back } = await atCallback('careless');
    const asked = tokenRequests();
    const { left } = await comeBack(browser, back, { iss });
    expect([left?.searchParams.get('error'), tokenRequests()]).toEqual(['access_denied', asked]);
  });

  test("with the code of another sign-in: the real provider refuses by PKCE, a careless one's token by its nonce", async () => {
    for (const name of ['real', 'careless']) {
      const before = await sessionCount();
      const mine = await atCallback(name);
      const stolen = await atCallback(name);
      const code = stolen.back.searchParams.get('code') ?? '';
      const { left } = await comeBack(mine.browser, mine.back, { code });
      expect([name, left?.searchParams.get('error')]).toEqual([name, 'access_denied']);
      expect(await sessionCount()).toBe(before);
    }
  });

  const claims: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ['another nonce', { nonce: 'x' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'somebody-else' }],
    ['an end in the past', { exp: 1_000 }],
  ];
  test.each(claims)('whose ID token has %s', async (_title, change) => {
    const before = await sessionCount();
    const { browser, back } = await atCallback('careless');
    careless.claims = change;
    const { left } = await comeBack(browser, back);
    careless.claims = {};
    expect([left?.searchParams.get('error'), await sessionCount()]).toEqual(['access_denied', before]);
  });

  test('at which the person or the provider said no', async () => {
    const { browser, back } = await atCallback('careless');
    const { left } = await comeBack(browser, back, { error: 'access_denied', code: undefined });
    expect(left?.searchParams.get('error')).toBe('access_denied');
    expect((await comeBack(browser, back)).status).toBe(400);
  });

  test('while the provider is down grants nothing', async () => {
    const { browser, back } = await atCallback('careless');
    careless.down = true;
    const answer = await comeBack(browser, back);
    careless.down = false;
    expect(answer.left?.searchParams.get('error')).toBe('access_denied');
  });
});

test('nothing that came in is sent to a provider: no token, cookie or state of a client', async () => {
  const browser = openBrowser(callback(), commandLine.redirectUri);
  const { challenge } = newProof();
  const state = 'state-of-a-client-0123456789';
  const headers = { authorization: 'Bearer token-of-a-person-0123456789' };
  const page = await browser.go(authorizeUrl(trivet, challenge, { state }), headers);
  const { left } = await browser.submit(page, { choice: 'with careless' }, headers);
  await browser.go(left?.href ?? '', headers);
  const heard = careless.requests.filter(({ path }) => path !== '/auth').map(({ text }) => text);
  for (const secret of ['token-of-a-person', state, 'trivet-browser', challenge])
    expect([secret, heard.filter((text) => text.includes(secret))]).toEqual([secret, []]);
});

test('what is stored of a sign-in completes none: no verifier, nonce or state of the provider', async () => {
  const { back } = await atCallback('careless');
  const stored = JSON.stringify(await trivet.kernel.host.db.q.select().from(oauthRequests));
  expect(stored).not.toContain(back.searchParams.get('state') ?? 'none');
  const asked = careless.requests.findLast(({ path }) => path === '/auth')?.text ?? '';
  for (const name of ['nonce', 'code_challenge']) {
    const value = new RegExp(`${name}=([\\w-]+)`).exec(asked)?.[1] ?? 'none';
    expect([name, value.length, stored.includes(value)]).toEqual([name, 43, false]);
  }
});
