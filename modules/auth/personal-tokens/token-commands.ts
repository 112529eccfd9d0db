import { roles } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { writeAuditEntry, writeRoleChange } from '../audit/audit-store.ts';
import { tokenCreateSettings, tokenListSettings, tokenRevokeSettings } from '../base/command-settings.ts';
import { fail } from '../base/errors.ts';
import { tokenOwner } from '../people/token-owner.ts';
import { personalTokenRecordOf } from './personal-token-record.ts';
import {
  createPersonalToken,
  madeOnMachine,
  revokePersonalToken,
  tokensOfAll,
} from './personal-token-store.ts';
import { parseScopes } from './token-scope.ts';

/** Creates a personal access token for a user. Only the owner of the data directory can run it. */
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
  const created = await host.db.tx(
    async (q) => {
      const newcomer = given.scopes.length > 0 ? 'member' : 'admin';
      const owner = await tokenOwner(q, { email: address, userId }, { role, newcomer }, now);
      const { id, email } = owner.user;
      const values = { userId: id, name, scope, expiresAt, madeWith: madeOnMachine };
      const { token, row } = await createPersonalToken(host, q, values);
      const entry = { userId: id, cause: String(row.id), surface: 'cli' } as const;
      await writeAuditEntry(q, now, { event: 'access_token_created', ...entry });
      if (owner.role !== null && owner.role !== owner.roleBefore) {
        const given = { userId: id, orgId: owner.orgId, role: owner.role };
        await writeRoleChange(q, now, given, { surface: 'cli' });
      }
      return { token, tokenId: row.id, userId: id, email, orgId: owner.orgId, role: owner.role };
    },
    { serializable: 'one local user for one e-mail address' },
  );
  const data = { ...created, name, scopes: given.scopes, expiresAt: isoTime(expiresAt) };
  if (given.scopes.length > 0 || role !== undefined) return { data, text: created.token };
  const whose = address === undefined ? `--user-id ${created.userId}` : `--email ${address}`;
  const note =
    created.role === 'admin'
      ? adviceToNarrow(created.tokenId, whose, name)
      : `This user exists already: the token may do what a ${created.role ?? 'user without an organization'} may. --role changes that.`;
  return { data, text: created.token, note };
}

const adviceToNarrow = (tokenId: number, whose: string, name: string) =>
  'This token may do everything that an administrator may. For a pipeline, create a narrower one: trivet token create ' +
  `${whose} --name ${JSON.stringify(name)} --role member --scopes testmgmt (and trivet token revoke --id ${tokenId})`;

/** When a token of this duration, as in the pattern of the setting, expires (epoch ms); null: never. */
function endOf(duration: string, now: number): number | null {
  if (duration === 'never') return null;
  const hours = Number.parseInt(duration, 10) * (duration.endsWith('d') ? 24 : 1);
  return now + hours * 60 * 60 * 1000;
}

/** Every token of every user that was not revoked. */
export async function listTokens(host: Host): Promise<CommandAnswer> {
  const { email: address } = host.config.read(tokenListSettings);
  const rows = await tokensOfAll(host.db.q, address);
  const tokens = rows.map(({ token, email }) => {
    return { ...personalTokenRecordOf(token), userId: token.userId, email };
  });
  const lines = tokens.map((token) =>
    [
      String(token.tokenId).padStart(6),
      token.name,
      token.email ?? '',
      token.scopes.join(','),
      `until ${token.expiresAt ?? 'revoked'}`,
    ].join('  '),
  );
  return { data: { tokens }, text: lines.join('\n') || 'No token. "trivet token create" creates one.' };
}

export async function revokeToken(host: Host): Promise<CommandAnswer> {
  const { id } = host.config.read(tokenRevokeSettings);
  if (id === undefined)
    throw new UsageError('--id is required: which token? "trivet token list" shows them.', exit.usage);
  const revoked = await revokePersonalToken(host, { id }, { surface: 'cli' });
  if (revoked === null)
    throw fail.UNKNOWN_TOKEN(`There is no token ${id}.`, { tip: '"trivet token list" shows them.' });
  return { data: { tokenId: revoked }, text: `Token ${revoked} is revoked.` };
}
