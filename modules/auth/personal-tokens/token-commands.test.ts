import { afterAll, expect, test } from 'bun:test';
import { asc, gt } from 'drizzle-orm';
import type { Host } from '../../../core/host/host.ts';
import { resolveConfig } from '../../../core/settings/config.ts';
import { startTestKernel } from '../../../test/kernel.ts';
import { newestEntry } from '../audit/audit-export-store.ts';
import { tokenCreateSettings, tokenRevokeSettings } from '../base/command-settings.ts';
import { audit } from '../base/schema.ts';
import { linkOwner } from '../people/token-owner.ts';
import { createToken, revokeToken } from './token-commands.ts';

/* What the owner of the machine gives leaves an entry in the audit log that says what it was. */
const trivet = await startTestKernel();
const { host } = trivet.kernel;
afterAll(() => trivet.stop());

const given = (settings: Parameters<typeof resolveConfig>[0], ...argv: readonly string[]): Host => ({
  ...host,
  config: resolveConfig(settings, { argv, env: {} }),
});

/** The entries that some work leaves. */
async function entriesOf(work: () => Promise<unknown>) {
  const before = await newestEntry(host.db.q);
  await work();
  return host.db.q.select().from(audit).where(gt(audit.id, before)).orderBy(asc(audit.id));
}

const person = (email: string) => ({ email, userId: undefined });

test('a token that is created and revoked', async () => {
  const create = () =>
    createToken(given(tokenCreateSettings, '--email=ann@example.org', '--name=x', '--scopes=testmgmt'));
  expect(await entriesOf(create)).toMatchObject([
    { event: 'access_token_created', cause: '1', surface: 'cli' },
    { event: 'role_changed', cause: 'member', surface: 'cli', ids: { orgId: 1 } },
  ]);
  expect(await entriesOf(() => revokeToken(given(tokenRevokeSettings, '--id=1')))).toMatchObject([
    { event: 'access_token_revoked', cause: '1', surface: 'cli' },
  ]);
});

test('a token that its holder revokes, with the address', async () => {
  const made = await createToken(given(tokenCreateSettings, '--email=bob@example.org', '--name=x'));
  const { token, tokenId } = ('data' in made ? made.data : {}) as { token: string; tokenId: number };
  expect(await entriesOf(() => trivet.post('/v1/auth/token/revoke', { token }))).toMatchObject([
    { event: 'access_token_revoked', cause: String(tokenId), surface: null, address: '127.0.0.1' },
  ]);
});

test('an administrator who is new by a link to the console', async () => {
  const link = () => host.db.tx((q) => linkOwner(q, person('carl@example.org'), host.clock.now()));
  expect(await entriesOf(link)).toMatchObject([
    { event: 'role_changed', cause: 'admin', surface: 'cli', ids: { orgId: 1 } },
  ]);
  expect(await entriesOf(link)).toEqual([]);
});
