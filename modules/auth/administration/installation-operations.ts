import { Type } from '@sinclair/typebox';
import { member, roles } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { keyAgeOf, rotationPolicy } from '../keys/key-ring.ts';
import { changesAt } from '../keys/key-rotation.ts';
import { readKeys } from '../keys/key-store.ts';
import { operation } from '../base/operation.ts';
import { requireAdministersAll } from '../people/administrator.ts';
import { providerKind, providers } from '../providers/configured-providers.ts';
import { examineWithClock } from '../providers/provider-check.ts';

export const listSigningKeys = operation({
  name: 'list-signing-keys',
  title: 'List the signing keys',
  description:
    'Lists the keys that sign tokens of this installation, the oldest first: which one signs (active), which follows (next) and ' +
    'which only verify (retired), and when each changes. Never key material. "trivet keys rotate" changes them. Only for ' +
    'administrators of the first organization.',
  input: closedObject({ ...paging }),
  output: page(
    'keys',
    closedObject({
      kid: Type.String(),
      algorithm: Type.String(),
      status: words(['next', 'active', 'retired'], { description: 'What it is used for.' }),
      createdAt: Type.String(),
      since: Type.String({ description: 'When it got this status.' }),
      changesAt: Type.String({
        description: 'When a next key signs, an active one is replaced, a retired one is deleted.',
      }),
    }),
  ),
  access: member('admin'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, host }) => {
    await requireAdministersAll(q, actor, 'see the signing keys');
    const paged = pageOf(input);
    const rows = await readKeys(q);
    const policy = rotationPolicy(host);
    const keys = rows.slice(paged.offset, paged.offset + paged.limit).map((row) => {
      const { kid, algorithm, status, createdAt } = row;
      const age = keyAgeOf(row);
      const times = { since: isoTime(age.since), changesAt: isoTime(changesAt(age, policy)) };
      return { kid, algorithm, status, createdAt: isoTime(createdAt), ...times };
    });
    return { total: rows.length, ...paged, keys };
  },
});

const texts = Type.Array(Type.String());

/** The findings of one provider take up to three requests to it. */
const maxExamined = 20;

export const listIdentityProviders = operation({
  name: 'list-identity-providers',
  title: 'List the identity providers',
  description:
    'Lists the identity providers of the configuration, and what "trivet auth doctor" finds about each: a finding says why ID ' +
    'tokens are rejected, and its remedy. It asks each provider, so it may take some seconds. Never a client secret. Only for ' +
    'administrators of the first organization.',
  input: closedObject({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxExamined, default: maxExamined, description: 'How many.' }),
    ),
    offset: paging.offset,
  }),
  output: page(
    'providers',
    closedObject({
      name: Type.String(),
      kind: Type.String({ description: 'A preset (google, apple, microsoft, facebook), openid or dev.' }),
      issuer: Type.String(),
      browser: Type.Boolean({ description: 'Whether people can sign in with it in a browser.' }),
      clientId: nullable(Type.String()),
      redirectUri: nullable(
        Type.String({ description: 'What the client at the provider must allow, for sign-in in a browser.' }),
      ),
      logoutUri: nullable(
        Type.String({
          description: 'What the client there may name for back-channel logout, if the provider offers it.',
        }),
      ),
      groupRoles: Type.Array(
        closedObject({
          of: Type.String({ description: 'group:NAME or domain:NAME.' }),
          role: words(roles, { description: 'The role it gives.' }),
          orgId: nullable(Type.Integer({ description: 'null: in the first organization.' })),
        }),
        { description: 'The roles that groups and domains give.' },
      ),
      audiences: texts,
      algorithms: texts,
      allowedDomains: nullable(texts),
      allowedEmails: nullable(texts),
      findings: Type.Array(
        closedObject({ finding: Type.String(), message: Type.String(), remedy: Type.String() }),
      ),
    }),
  ),
  access: member('admin'),
  effect: 'read',
  handler: async ({ limit = maxExamined, offset = 0 }, { actor, db: { q }, host }) => {
    await requireAdministersAll(q, actor, 'see the identity providers');
    const all = [...providers(host).values()];
    const listed = all.slice(offset, offset + limit).map(async (provider) => {
      const { name, issuer, audiences, allowedDomains, allowedEmails, browser, groupMapping } = provider;
      const { algorithms, redirectUri, logoutUri, findings } = await examineWithClock(host, provider);
      return {
        name,
        kind: providerKind(host, name),
        issuer,
        browser: browser !== null,
        clientId: browser === null || browser === 'dev' ? null : browser.clientId,
        redirectUri,
        logoutUri,
        groupRoles: [...(groupMapping?.roles ?? [])].map(([of, given]) => ({ of, ...given })),
        audiences: [...audiences],
        algorithms: [...algorithms],
        allowedDomains: allowedDomains && [...allowedDomains],
        allowedEmails: allowedEmails && [...allowedEmails],
        findings: findings.map(({ finding, message, remedy }) => ({ finding, message, remedy })),
      };
    });
    return { total: all.length, limit, offset, providers: await Promise.all(listed) };
  },
});
