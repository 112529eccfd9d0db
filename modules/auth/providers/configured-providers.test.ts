import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { usedIdTokens } from '../base/schema.ts';
import { refusalOfAccount } from '../sessions/sign-in.ts';
import { providers } from './configured-providers.ts';
import { invalidClaim } from './id-token.ts';

const clock = stillClock(Date.now());

async function configured(toml: string, work: (trivet: TestKernel) => Promise<void>) {
  const config = join(temporaryDirectory('providers'), 'trivet.toml');
  writeFileSync(config, toml, { mode: 0o600 });
  const trivet = await startTestKernel({ clock, settings: { config, dev: 'false' } });
  try {
    await work(trivet);
  } finally {
    await trivet.stop();
  }
}

describe('presets', () => {
  const tenant = '11111111-2222-3333-4444-555555555555';
  const cases: ReadonlyArray<readonly [string, string, readonly string[]]> = [
    ['google', '', ['https://accounts.google.com', 'accounts.google.com']],
    ['apple', '', ['https://appleid.apple.com']],
    ['microsoft', `tenant = "${tenant}"`, [`https://login.microsoftonline.com/${tenant}/v2.0`]],
    ['facebook', '', ['https://www.facebook.com', 'https://facebook.com', 'https://limited.facebook.com']],
  ];
  test.each(cases)('%s accepts the issuers that it documents and no other', (name, more, issuers) =>
    configured(`[providers.${name}]\naudiences = ["app"]\n${more}\n`, async ({ kernel }) => {
      const provider = providers(kernel.host).get(name);
      if (!provider) throw new Error('not configured');
      const now = 1_700_000_000;
      const fault = (iss: unknown) =>
        invalidClaim({ iss, aud: 'app', sub: 's', iat: now, exp: now + 60 }, provider, now, 60);
      expect(issuers.map(fault)).toEqual(issuers.map(() => null));
      for (const other of ['https://evil.example', `${issuers[0]}/`, undefined, '', null, ['x']])
        expect(fault(other)).toBe('iss');
    }),
  );

  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['microsoft without tenant', '[providers.microsoft]\naudiences = ["app"]', /tenant is required/],
    [
      'microsoft for everybody',
      '[providers.microsoft]\naudiences = ["app"]\ntenant = "common"',
      /providers: microsoft\.tenant/,
    ],
    [
      'a tenant elsewhere',
      `[providers.google]\naudiences = ["app"]\ntenant = "${tenant}"`,
      /belongs to the preset microsoft/,
    ],
    [
      'an issuer over plain http',
      '[providers.x]\naudiences = ["app"]\nissuer = "http://issuer.example"',
      /must be https/,
    ],
    [
      'keys over plain http',
      '[providers.google]\naudiences = ["app"]\njwksUri = "http://keys.example"',
      /must be https/,
    ],
    ['no issuer', '[providers.x]\naudiences = ["app"]', /issuer is required/],
    ['no audience', '[providers.google]\naudiences = []', /audiences/],
    ['an HMAC algorithm', '[providers.google]\naudiences = ["app"]\nalgorithms = ["HS256"]', /algorithms/],
    [
      'the name dev',
      '[providers.dev]\naudiences = ["app"]\nissuer = "https://a.example"',
      /belongs to --dev/,
    ],
    ['a key that is none', '[providers.google]\naudiences = ["app"]\nallowedDomain = ["a"]', /allowedDomain/],
  ];
  test.each(refused)('%s is refused at start', async (_title, toml, message) => {
    expect(await settled(configured(toml, async () => {}))).toThrow(message);
  });
});

describe('the client that Trivet is at a provider', () => {
  const directory = temporaryDirectory('secrets');
  const file = (name: string, text: string, mode: number) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode });
    return path;
  };
  const browserOf = async (lines: string) => {
    let found: unknown;
    await configured(`[providers.google]\n${lines}\n`, async ({ kernel }) => {
      const provider = providers(kernel.host).get('google');
      found = [provider?.browser, provider?.audiences];
    });
    return found;
  };
  const scope = 'openid email profile';
  const secretFile = file('good', 'from the file\n', 0o600);
  const accepted: ReadonlyArray<readonly [string, string, unknown]> = [
    ['none', 'audiences = ["app"]', [null, ['app']]],
    ['a public one', 'clientId = "web"', [{ clientId: 'web', clientSecret: undefined, scope }, ['web']]],
    [
      'beside apps',
      'audiences = ["app", "web"]\nclientId = "web"\nclientSecret = "s"',
      [{ clientId: 'web', clientSecret: 's', scope }, ['app', 'web']],
    ],
    [
      'with its secret in a file',
      `clientId = "web"\nclientSecretFile = "${secretFile}"`,
      [{ clientId: 'web', clientSecret: 'from the file', scope }, ['web']],
    ],
  ];
  test.each(accepted)('%s', async (_title, lines, found) => expect(await browserOf(lines)).toEqual(found));

  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['neither client nor audience', '', /name the client ids/],
    ['a secret without client', 'audiences = ["app"]\nclientSecret = "s"', /needs the clientId/],
    ['two secrets', 'clientId = "web"\nclientSecret = "s"\nclientSecretFile = "/x"', /not both/],
    ['a file that is not there', 'clientId = "web"\nclientSecretFile = "/not/there"', /cannot be read/],
    [
      'a file that others can read',
      `clientId = "web"\nclientSecretFile = "${file('open', 's', 0o644)}"`,
      /chmod 600/,
    ],
    ['an empty file', `clientId = "web"\nclientSecretFile = "${file('empty', '', 0o600)}"`, /is empty/],
  ];
  test.each(refused)('%s is refused at start', async (_title, lines, message) => {
    expect(await settled(browserOf(lines))).toThrow(message);
  });

  test('a secret on the command line is refused', async () => {
    const given = JSON.stringify({ google: { clientId: 'web', clientSecret: 's' } });
    expect(await settled(startTestKernel({ settings: { providers: given } }))).toThrow('would show a secret');
  });
});

describe('who is admitted', () => {
  const domains = { allowedDomains: ['example.com'], allowedEmails: null };
  const kiosk = { allowedDomains: ['kiosk.example'], allowedEmails: null };
  const emails = { allowedDomains: null, allowedEmails: ['ann@example.org'] };
  const both = { allowedDomains: ['example.com'], allowedEmails: ['ann@example.org'] };
  const cases: ReadonlyArray<
    readonly [string, typeof domains | typeof emails | typeof both, string | null, boolean, string | null]
  > = [
    ['a domain', domains, 'x@example.com', true, null],
    ['a domain in capitals', domains, 'x@EXAMPLE.com', true, null],
    ['an address that nobody verified', domains, 'x@example.com', false, 'domain'],
    ['no address', domains, null, true, 'domain'],
    ['a domain that ends alike', domains, 'x@evil-example.com', true, 'domain'],
    ['a domain below', domains, 'x@a.example.com', true, 'domain'],
    ['the domain as name of somebody else', domains, 'example.com@evil.example', true, 'domain'],
    // toLowerCase makes a k of the Kelvin sign.
    ['a domain with a letter that only looks alike', kiosk, 'x@\u212Aiosk.example', true, 'domain'],
    ['the domain itself', kiosk, 'x@KIOSK.example', true, null],
    ['two @', domains, 'x@evil.example@example.com', true, 'domain'],
    ['an address', emails, 'Ann@example.org', true, null],
    ['another address', emails, 'bob@example.org', true, 'email'],
    ['that address, not verified', emails, 'ann@example.org', false, 'email'],
    ['either: the address', both, 'ann@example.org', true, null],
    ['either: the domain', both, 'x@example.com', true, null],
    ['neither', both, 'bob@example.org', true, 'domain'],
  ];
  test.each(cases)('%s', (_title, rules, email, emailVerified, cause) => {
    expect(refusalOfAccount(rules, { email, emailVerified })?.refused.causeWord ?? null).toBe(cause);
  });
  test('without rules everybody is', () => {
    expect(
      refusalOfAccount({ allowedDomains: null, allowedEmails: null }, { email: null, emailVerified: false }),
    ).toBeNull();
  });
});

test('with single use an ID token signs in once, whichever of eight requests is first, and later not either', async () => {
  const real = await startIdentityProvider();
  const toml = `[providers.real]\nissuer = "${real.issuer}"\naudiences = ["${real.clientId}"]\nsingleUse = true\n`;
  await configured(toml, async (trivet) => {
    const { idToken } = await real.signIn('ann@example.org');
    const signIn = (identifier: string) =>
      trivet.post('/v1/auth/social/authenticate', {
        responseType: 'token',
        grantType: 'id_token',
        identifier,
        idProvider: 'real',
        resources: [],
      });
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(idToken)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
    expect(await signIn(idToken)).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_ID_TOKEN', cause: 'replayed' } },
    });
    expect((await signIn((await real.signIn('ann@example.org', { nonce: 'n' })).idToken)).status).toBe(200);
    const stored = await trivet.kernel.host.db.q.select().from(usedIdTokens);
    expect(stored.map(({ hash }) => hash.length)).toEqual([64, 64]);
  });
  await real.stop();
});
