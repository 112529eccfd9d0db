import { and, asc, eq, isNull } from 'drizzle-orm';
import { roles } from '../../core/actor.ts';
import { isoTime } from '../../core/clock.ts';
import { UsageError } from '../../core/config.ts';
import { exit } from '../../core/errors.ts';
import type { Command } from '../../core/module.ts';
import type { SettingTable } from '../../core/settings.ts';
import { record } from './audit.ts';
import { devTokenSeconds, mintDevIdToken } from './dev-provider.ts';
import { deny } from './errors.ts';
import { createPersonalToken, parseScopes, revokePersonalToken, tokenRecord } from './personal-token.ts';
import { accessTokens, users } from './schema.ts';
import { localUser } from './users.ts';

const email = {
  type: 'string',
  value: 'ADDRESS',
  pattern: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
  description: 'The e-mail address of the person.',
} as const;

const tokenSettings = {
  email,
  name: {
    type: 'string',
    value: 'NAME',
    description: 'What the token is for; shown where tokens are listed.',
  },
  expires: {
    type: 'string',
    default: '90d',
    value: 'DURATION',
    pattern: /^([1-9]\d{0,2}d|[1-9]\d{0,3}h|never)$/,
    description: 'When it ends: days (90d), hours (12h) or never.',
  },
  scopes: {
    type: 'list',
    default: [],
    value: 'WORDS',
    description: 'What it may do: toolsets, read-only, org:ID. Everything its user may, unless given.',
  },
  role: {
    type: 'string',
    choices: roles,
    description: 'The role of the person in the first organization; a new one is admin.',
  },
} as const satisfies SettingTable;

/** Makes a personal access token for a local user; whoever owns the data directory may. */
export const tokenCreate: Command = {
  verb: 'token create',
  summary: 'Make a personal access token for a pipeline or an agent',
  settings: tokenSettings,
  run: async (host) => {
    const given = host.config.read(tokenSettings);
    if (given.email === undefined)
      throw new UsageError('--email is required: whose token is it?', exit.usage);
    if (given.name === undefined)
      throw new UsageError('--name is required: what is the token for?', exit.usage);
    const scope = parseScopes(given.scopes);
    if ('unknown' in scope) {
      throw new UsageError(`--scopes: "${scope.unknown}" is neither a toolset nor read-only nor org:ID.`);
    }
    const address = given.email;
    const name = given.name.trim().slice(0, 255);
    const role = roles.find((known) => known === given.role);
    const now = host.clock.now();
    const expiresAt = endOf(given.expires, now);
    const made = await host.db.tx(async (q) => {
      const person = await localUser(q, address, role, now);
      const token = await createPersonalToken(host, q, { userId: person.user.id, name, scope, expiresAt });
      await record(q, now, { event: 'access_token_created', userId: person.user.id });
      if (person.role !== person.roleBefore) {
        await record(q, now, { event: 'role_changed', userId: person.user.id, cause: person.role });
      }
      return { ...token, userId: person.user.id, orgId: person.orgId, role: person.role };
    });
    const data = { ...made, email: address, name, scopes: given.scopes, expiresAt: isoTime(expiresAt) };
    return { data, text: made.token };
  },
};

/** The end of a duration that the setting's pattern allowed (epoch ms); null for never. */
function endOf(duration: string, now: number): number | null {
  if (duration === 'never') return null;
  const hours = Number.parseInt(duration, 10) * (duration.endsWith('d') ? 24 : 1);
  return now + hours * 60 * 60 * 1000;
}

const tokenListSettings = {
  email: { ...email, description: 'Only the tokens of the person with this address.' },
} as const;

/** Every token that was not revoked, of everybody: for whoever owns the machine. */
export const tokenList: Command = {
  verb: 'token list',
  reads: 'data',
  summary: 'List personal access tokens, never the tokens themselves',
  settings: tokenListSettings,
  run: async (host) => {
    const { email: address } = host.config.read(tokenListSettings);
    const rows = await host.db.q
      .select({ token: accessTokens, email: users.email })
      .from(accessTokens)
      .innerJoin(users, eq(users.id, accessTokens.userId))
      .where(
        and(isNull(accessTokens.revokedAt), address === undefined ? undefined : eq(users.email, address)),
      )
      .orderBy(asc(accessTokens.id));
    const tokens = rows.map(({ token, email: owner }) => ({
      ...tokenRecord(token),
      userId: token.userId,
      email: owner,
    }));
    const lines = tokens.map((token) =>
      [
        String(token.tokenId).padStart(6),
        token.name,
        token.email ?? '',
        token.scopes.join(','),
        `until ${token.expiresAt ?? 'revoked'}`,
      ].join('  '),
    );
    return { data: { tokens }, text: lines.join('\n') || 'No token. "trivet token create" makes one.' };
  },
};

const tokenRevokeSettings = {
  id: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number that "trivet token list" shows.',
  },
} as const satisfies SettingTable;

export const tokenRevoke: Command = {
  verb: 'token revoke',
  summary: 'End a personal access token at once',
  settings: tokenRevokeSettings,
  run: async (host) => {
    const { id } = host.config.read(tokenRevokeSettings);
    if (id === undefined)
      throw new UsageError('--id is required: which token? "trivet token list" shows them.', exit.usage);
    const revoked = await revokePersonalToken(host, eq(accessTokens.id, id));
    if (revoked === null)
      throw deny.UNKNOWN_TOKEN(`There is no token ${id}.`, { tip: '"trivet token list" shows them.' });
    return { data: { tokenId: revoked }, text: `Token ${revoked} is revoked.` };
  },
};

const devSettings = { email } as const satisfies SettingTable;

/** Mints an ID token that a server started with `--dev` on the same data directory accepts. */
export const devIdToken: Command = {
  verb: 'dev id-token',
  summary: 'Mint an ID token that a server started with --dev accepts as idProvider "dev"',
  settings: devSettings,
  run: async (host) => {
    const address = host.config.read(devSettings).email;
    if (address === undefined) throw new UsageError('--email is required: who signs in?', exit.usage);
    const idToken = await mintDevIdToken(host, address);
    return { data: { idToken, idProvider: 'dev', expiresIn: devTokenSeconds }, text: idToken };
  },
};
