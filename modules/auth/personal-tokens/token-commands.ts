import { UsageError, exit } from '../../../core/errors.ts';
import { and, asc, eq, isNull } from 'drizzle-orm';
import { roles } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Host } from '../../../core/host.ts';
import type { CommandAnswer } from '../../../core/module.ts';
import { tokenCreateSettings, tokenListSettings, tokenRevokeSettings } from '../command-settings.ts';
import { record } from '../audit/audit-store.ts';
import { deny } from '../errors.ts';
import {
  createPersonalToken,
  madeOnMachine,
  revokePersonalToken,
  tokenRecord,
} from './personal-token-store.ts';
import { accessTokens, users } from '../schema.ts';
import { parseScopes } from './token-scope.ts';
import { tokenOwner } from '../people/token-owner.ts';

/** Makes a personal access token for a local user; whoever owns the data directory may. */
export async function createToken(host: Host): Promise<CommandAnswer> {
  const given = host.config.read(tokenCreateSettings);
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
}

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

/** Every token that was not revoked, of everybody: for whoever owns the machine. */
export async function listTokens(host: Host): Promise<CommandAnswer> {
  const { email: address } = host.config.read(tokenListSettings);
  const rows = await host.db.q
    .select({ token: accessTokens, email: users.email })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.userId))
    .where(and(isNull(accessTokens.revokedAt), address === undefined ? undefined : eq(users.email, address)))
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
}

export async function revokeToken(host: Host): Promise<CommandAnswer> {
  const { id } = host.config.read(tokenRevokeSettings);
  if (id === undefined)
    throw new UsageError('--id is required: which token? "trivet token list" shows them.', exit.usage);
  const revoked = await revokePersonalToken(host, eq(accessTokens.id, id));
  if (revoked === null)
    throw deny.UNKNOWN_TOKEN(`There is no token ${id}.`, { tip: '"trivet token list" shows them.' });
  return { data: { tokenId: revoked }, text: `Token ${revoked} is revoked.` };
}
