import { afterAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { compiled, runTrivet } from '../../../test/executable.ts';
import {
  startIdentityProvider,
  type IdentityProviderOptions,
  type TestIdentityProvider,
} from '../../../test/identity-provider.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import type { Examined } from './provider-doctor.ts';

const good = await startIdentityProvider();
afterAll(() => good.stop());

/** Runs `trivet auth doctor` with the good provider and `second`. */
async function doctor(second: TestIdentityProvider | null, more = '', json = true) {
  const directory = temporaryDirectory('doctor');
  const config = join(directory, 'trivet.toml');
  const section = (name: string, { issuer, clientId }: TestIdentityProvider, lines: string) =>
    `[providers.${name}]\nissuer = "${issuer}"\naudiences = ["${clientId}"]\n${lines}\n`;
  writeFileSync(config, section('good', good, '') + (second ? section('second', second, more) : ''), {
    mode: 0o600,
  });
  const ran = await runTrivet(compiled, [
    'auth',
    'doctor',
    '--config',
    config,
    '--data',
    join(directory, 'data'),
    ...(json ? ['--json'] : []),
  ]);
  return ran;
}

const examined = (stdout: string) => (JSON.parse(stdout) as { providers: Examined[] }).providers;

/** What was common once, and can be broken now (RFC 7518 §3.3 asks for 2048 bits). */
const weakKey = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), use: 'sig', alg: 'RS256', kid: 'of-2009' };
};

test('a provider that is set up well is accepted, and with which algorithms', async () => {
  const { exitCode, stdout } = await doctor(null);
  expect(exitCode).toBe(0);
  expect(examined(stdout)).toEqual([
    {
      provider: 'good',
      issuer: good.issuer,
      audiences: [good.clientId],
      algorithms: ['RS256', 'ES256'],
      redirectUri: null,
      problems: [],
    },
  ]);
});

test('for a provider of the browser it says which address to register', async () => {
  const browser = await doctor(good, `clientId = "${good.clientId}"\nclientSecret = "x"`);
  const redirectUri = 'http://127.0.0.1:8787/oauth/callback';
  expect([browser.exitCode, examined(browser.stdout)[1]]).toMatchObject([
    0,
    { provider: 'second', redirectUri },
  ]);
  expect((await doctor(good, `clientId = "x"`, false)).stdout).toContain(
    `must allow the redirect address ${redirectUri}`,
  );
  // Such as Facebook's Limited Login: keys, and no discovery document.
  const config = `clientId = "x"\njwksUri = "${good.issuer}/jwks"`;
  const without = await startIdentityProvider({
    mistake: { paths: { '/.well-known/openid-configuration': { status: 404 } } },
  });
  const answer = await doctor(without, config);
  expect([answer.exitCode, examined(answer.stdout)[1]?.problems]).toMatchObject([
    1,
    [{ problem: 'discovery_unavailable' }],
  ]);
  await without.stop();
});

describe('a second provider with a mistake: it is named with its remedy, the first one stays accepted', () => {
  type Mistake = NonNullable<IdentityProviderOptions['mistake']>;
  const cases: ReadonlyArray<readonly [string, () => Promise<Mistake>, string, string, RegExp]> = [
    [
      'it names another origin than the one in the configuration',
      async () => ({ issuer: (at) => at.replace('127.0.0.1', 'localhost') }),
      '',
      'issuer_mismatch',
      /names the issuer http:\/\/localhost:\d+, the configuration http:\/\/127\.0\.0\.1:\d+/,
    ],
    [
      'it signs with an algorithm that is not allowed',
      async () => ({ idTokenAlgorithms: ['ES256'] }),
      'algorithms = ["RS256"]',
      'algorithm_not_allowed',
      /signs with ES256; allowed is RS256/,
    ],
    [
      'its discovery document sits behind a redirect',
      async () => ({
        paths: {
          '/.well-known/openid-configuration': { status: 301, location: 'https://elsewhere.example/' },
        },
      }),
      '',
      'discovery_unavailable',
      /openid-configuration: the provider answered 301/,
    ],
    [
      'a proxy before it does not let the keys through',
      async () => ({ paths: { '/jwks': { status: 404 } } }),
      '',
      'keys_unavailable',
      /\/jwks: the provider answered 404/,
    ],
    [
      'its only key is too short',
      async () => ({ keys: [weakKey()] }),
      '',
      'no_usable_key',
      /None of its 1 keys can verify RS256 or ES256 \(kid of-2009 RSA RS256 use sig\)/,
    ],
    [
      'it offers no e-mail address though only some are admitted',
      async () => ({ withoutEmail: true }),
      'allowedDomains = ["example.org"]',
      'email_not_offered',
      /offers no claim email, email_verified/,
    ],
  ];
  test.each(cases)('%s', async (_title, mistake, lines, problem, message) => {
    const second = await startIdentityProvider({ mistake: await mistake() });
    const { exitCode, stdout } = await doctor(second, lines);
    await second.stop();
    const [first, other] = examined(stdout);
    expect(first?.problems).toEqual([]);
    expect(other?.problems.map((found) => found.problem)).toContain(problem as never);
    expect(other?.problems.find((found) => found.problem === problem)?.message).toMatch(message);
    expect(other?.problems.every(({ remedy }) => remedy.length > 20)).toBe(true);
    expect(exitCode).toBe(1);
  });

  test('it is gone; and the text for a person says it in words', async () => {
    const second = await startIdentityProvider();
    await second.stop();
    const { exitCode, stdout } = await doctor(second, '', false);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('good  ok\n  accepts ID tokens of ');
    expect(stdout).toContain('second  discovery_unavailable\n  accepts no ID token of ');
    expect(stdout).toContain('→ Check issuer of providers.second');
  });
});

test('without any provider it says how to add one', async () => {
  const { exitCode, stdout } = await runTrivet(compiled, [
    'auth',
    'doctor',
    '--data',
    temporaryDirectory('doctor'),
  ]);
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('[providers.NAME]') as string,
  });
});
