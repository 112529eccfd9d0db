import { and, asc, eq, isNull } from 'drizzle-orm';
import { roles } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import { UsageError } from '../../../core/settings/config.ts';
import { exit } from '../../../core/errors.ts';
import type { Command } from '../../../core/module.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';
import { record } from '../audit/audit-store.ts';
import { devTokenSeconds, mintDevIdToken } from '../providers/dev-provider.ts';
import { deny } from '../errors.ts';
import { requireMasterKey } from '../keys/master-key-check.ts';
import {
  createPersonalToken,
  madeOnMachine,
  revokePersonalToken,
  tokenRecord,
} from './personal-token-store.ts';
import { accessTokens, users } from '../schema.ts';
import { parseScopes } from './token-scope.ts';
import { tokenOwner } from '../people/token-owner.ts';

const email = {
  type: 'string',
  value: 'ADDRESS',
  pattern: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
  description: 'The e-mail address of the person.',
} as const;

const tokenSettings = {
  email,
  'user-id': {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The person by number, when several have the address.',
  },
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
    description:
      'What it may do: toolsets (testmgmt), toolset:read, cta:publish, admin, read-only, org:ID. Unless given: everything.',
  },
  role: {
    type: 'string',
    choices: roles,
    description:
      'The role of the person in the first organization. A new one is a member with --scopes, an admin without.',
  },
} as const satisfies SettingTable;

/** Makes a personal access token for a local user; whoever owns the data directory may. */
export const tokenCreate: Command = {
  verb: 'token create',
  summary: 'Make a personal access token for a pipeline or an agent',
  settings: tokenSettings,
  run: async (host) => {
    const given = host.config.read(tokenSettings);
    const { email: address, 'user-id': userId } = given;
    if (address === undefined && userId === undefined)
      throw new UsageError('--email is required: whose token is it?', exit.usage);
    if (given.name === undefined)
      throw new UsageError('--name is required: what is the token for?', exit.usage);
    const scope = parseScopes(given.scopes, host.toolsets);
    if ('mistake' in scope) throw new UsageError(`--scopes: ${scope.mistake}`);
    const name = given.name.trim().slice(0, 255);
    const role = roles.find((known) => known === given.role);
    const now = host.clock.now();
    const expiresAt = endOf(given.expires, now);
    const made = await host.db.tx(async (q) => {
      const newcomer = given.scopes.length > 0 ? 'member' : 'admin';
      const person = await tokenOwner(q, { email: address, userId }, { role, newcomer }, now);
      const token = await createPersonalToken(host, q, {
        userId: person.user.id,
        name,
        scope,
        expiresAt,
        madeWith: madeOnMachine,
      });
      await record(q, now, { event: 'access_token_created', userId: person.user.id, surface: 'cli' });
      if (person.role !== null && person.role !== person.roleBefore) {
        await record(q, now, {
          event: 'role_changed',
          userId: person.user.id,
          cause: person.role,
          surface: 'cli',
        });
      }
      return {
        ...token,
        userId: person.user.id,
        email: person.user.email,
        orgId: person.orgId,
        role: person.role,
      };
    });
    const data = { ...made, name, scopes: given.scopes, expiresAt: isoTime(expiresAt) };
    const whole = given.scopes.length === 0 && role === undefined && made.role === 'admin';
    return {
      data,
      text: made.token,
      ...(whole
        ? {
            note: narrower(
              made.tokenId,
              address === undefined ? `--user-id ${made.userId}` : `--email ${address}`,
              name,
            ),
          }
        : {}),
    };
  },
};

/** Says what the token may, and how to make one that may less. */
const narrower = (tokenId: number, whose: string, name: string) =>
  'This token may do everything that an administrator may. For a pipeline, make a narrower one: trivet token create ' +
  `${whose} --name ${JSON.stringify(name)} --role member --scopes testmgmt (and trivet token revoke --id ${tokenId})`;

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
    await requireMasterKey(host);
    const idToken = await mintDevIdToken(host, address);
    return { data: { idToken, idProvider: 'dev', expiresIn: devTokenSeconds }, text: idToken };
  },
};
