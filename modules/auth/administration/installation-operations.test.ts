import { afterAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../../core/base/actor.ts';
import { startIdentityProvider } from '../../../test/identity-provider.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { toolsOf } from '../../../test/tools.ts';
import { rotateKeys } from '../keys/key-ring.ts';
import { signingKeys } from '../base/schema.ts';

// The provider of the test dates its answers.
const clock = stillClock(Date.now());
const good = await startIdentityProvider({ claims: ['groups'] });
const broken = await startIdentityProvider({ mistake: { paths: { '/jwks': { status: 404 } } } });
const config = join(temporaryDirectory('providers'), 'trivet.toml');
const secret = 'not-for-anybody-else';
writeFileSync(
  config,
  `[providers.staff]
issuer = "${good.issuer}"
clientId = "${good.clientId}"
clientSecret = "${secret}"
allowedDomains = ["example.org"]
groups = { qa = "member" }
[providers.google]
audiences = ["app"]
issuer = "${broken.issuer}"
`,
  { mode: 0o600 },
);
const trivet = await startTestKernel({ clock, settings: { config } });
const { call, refusal, owner } = await toolsOf(trivet);
afterAll(async () => {
  await trivet.stop();
  await Promise.all([good.stop(), broken.stop()]);
});

test('signing keys: each with its status and when it changes, no key material', async () => {
  const { host } = trivet.kernel;
  expect(await call('list-signing-keys')).toMatchObject({ total: 0, keys: [] });
  await rotateKeys(host);
  const made = new Date(clock.now()).toISOString();
  clock.advance(60_000);
  await rotateKeys(host, 'soon');
  await rotateKeys(host, 'now');
  await rotateKeys(host, 'soon');
  const listed = await call('list-signing-keys');
  const at = (seconds: number) => new Date(clock.now() + seconds * 1_000).toISOString();
  const times = { since: at(0), createdAt: at(0) };
  const day = 86_400;
  const keys = listed['keys'] as Array<{ status: string }>;
  expect(keys.toSorted((a, b) => (a.status < b.status ? -1 : 1))).toEqual([
    expect.objectContaining({ status: 'active', ...times, changesAt: at(30 * day) }),
    expect.objectContaining({ status: 'next', ...times, changesAt: at(day) }),
    // Tokens live an hour, and another process may sign for an hour more.
    expect.objectContaining({ status: 'retired', since: at(0), createdAt: made, changesAt: at(7_200) }),
  ]);
  const rows = await host.db.q.select().from(signingKeys);
  for (const { privateWrapped, publicJwk } of rows) {
    expect(JSON.stringify(listed)).not.toContain(privateWrapped.slice(0, 20));
    expect(JSON.stringify(listed)).not.toContain(String(publicJwk['x']));
  }
  expect(rows.length).toBe(3);
});

test('identity providers: what was configured, what the doctor finds, no secret', async () => {
  const listed = await call('list-identity-providers');
  expect(listed).toMatchObject({
    total: 3,
    providers: [
      {
        name: 'staff',
        kind: 'openid',
        issuer: good.issuer,
        browser: true,
        clientId: good.clientId,
        redirectUri: `${trivet.origin}/oauth/callback`,
        logoutUri: `${trivet.origin}/oauth/backchannel-logout`,
        groupRoles: [{ of: 'group:qa', role: 'member', orgId: null }],
        audiences: [good.clientId],
        algorithms: ['RS256', 'ES256'],
        allowedDomains: ['example.org'],
        allowedEmails: null,
        findings: [],
      },
      // A preset's name with a different issuer is not a preset.
      {
        name: 'google',
        kind: 'openid',
        browser: false,
        clientId: null,
        redirectUri: null,
        logoutUri: `${trivet.origin}/oauth/backchannel-logout`,
        groupRoles: [],
        algorithms: [],
        findings: [{ finding: 'keys_unavailable', remedy: expect.stringContaining('Key Set') as string }],
      },
      { name: 'dev', kind: 'dev', browser: true, clientId: null, findings: [] },
    ],
  });
  expect(JSON.stringify(listed)).not.toContain(secret);
  expect(await call('list-identity-providers', { limit: 1, offset: 1 })).toMatchObject({
    total: 3,
    nextOffset: 2,
    providers: [{ name: 'google' }],
  });
});

test.each<[string, Partial<Actor>]>([
  ['a member of the first organization', { roles: new Map([[1, 'member']]) }],
  ['an administrator of another one', { roles: new Map([[2, 'admin']]) }],
])('%s sees neither, and no provider is asked', async (_who, rights) => {
  const before = good.requests.length;
  for (const tool of ['list-signing-keys', 'list-identity-providers'])
    expect(await refusal(tool, {}, { ...owner, ...rights })).toMatchObject({ code: 'FORBIDDEN' });
  expect(good.requests.length).toBe(before);
});
