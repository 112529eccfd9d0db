import { dirname, join, resolve } from 'node:path';
import type { Host } from '../../core/host.ts';
import { defineModule } from '../../core/module.ts';
import { explainIds } from '../../core/tools/id-explanation.ts';
import { coreSettings } from '../../core/settings/settings.ts';
import { devIdToken, tokenCreate, tokenList, tokenRevoke } from './personal-tokens/token-commands.ts';
import { authDoctor } from './providers/provider-doctor.ts';
import { authErrors } from './errors.ts';
import { removeExpired } from './sessions/expiry.ts';
import { peopleAndOrganizations } from './id-listings.ts';
import { identity } from './sessions/identity.ts';
import { keysList, keysRotate } from './keys/key-commands.ts';
import { keyRing, rotateKeys } from './keys/key-ring.ts';
import { acceptInvitationOperation, inviteUser } from './administration/invitation-operations.ts';
import { checkMasterKey } from './keys/master-key-check.ts';
import { masterKeyFile } from './keys/master-key.ts';
import { createOrganization } from './administration/organization-operations.ts';
import { providers } from './providers/provider-store.ts';
import { authRoutes } from './sessions/sign-in-routes.ts';
import * as tables from './schema.ts';
import { listSessions, revokeSessionOperation } from './sessions/session-operations.ts';
import { setupLines } from './people/setup-code.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { authSettings } from './settings.ts';
import { createAccessToken, listAccessTokens, revokeAccessToken } from './administration/token-operations.ts';
import { listAudit, setUserRole, setUserStatus } from './administration/user-operations.ts';
import { ensureOwner } from './people/user-store.ts';

// What other modules may use of this one.
export { organizationIds, peopleAndOrganizations } from './id-listings.ts';
export { identity } from './sessions/identity.ts';
export { memberOf, pageOfMembers, type Member } from './people/member-store.ts';
export { claimsToBeOurs } from './sessions/own-token.ts';
export { firstOrganization, organizationsOf } from './people/user-store.ts';

/** Area A: exchanges ID tokens for our own, keeps users, organizations, sessions and tokens. */
export const auth = defineModule({
  name: 'auth',
  errors: authErrors,
  settings: authSettings,
  tables,
  files: [masterKeyFile],
  operations: [
    createOrganization,
    inviteUser,
    acceptInvitationOperation,
    listSessions,
    revokeSessionOperation,
    createAccessToken,
    listAccessTokens,
    revokeAccessToken,
    setUserStatus,
    setUserRole,
    listAudit,
    // Every tool that takes ids explains names that were given for them.
  ].map((operation) => ({ ...operation, explain: explainIds(peopleAndOrganizations) })),
  identity,
  commands: [authDoctor, tokenCreate, tokenList, tokenRevoke, devIdToken, keysList, keysRotate],
  jobs: [
    { name: 'rotate-keys', everyMs: 60_000, run: async (host) => void (await rotateKeys(host)) },
    { name: 'remove-expired', everyMs: 3_600_000, run: async (host) => void (await removeExpired(host)) },
  ],
  routes: (app, host) => {
    authRoutes(app, host);
    sessionRoutes(app, host);
  },
  ready: async (host) => {
    await checkMasterKey(host);
    await keyRing(host).published();
  },
  start: async (host) => {
    providers(host);
    await ensureOwner(host);
  },
  greeting,
});

/** What a new installation needs to know, said once: the setup code and what to paste into an MCP client. */
async function greeting(
  host: Host,
  { terminal }: { readonly terminal: boolean },
): Promise<readonly string[]> {
  const { data, database, dev } = host.config.read(coreSettings);
  const lines: string[] = [];
  if (dev) lines.push('--dev: anyone on this machine can sign in as anyone (trivet dev id-token --email …).');
  const setup = await setupLines(host, terminal);
  if (setup.length === 0) return lines;
  // From the sources, Bun would run the bunfig.toml and read the .env of whatever directory the client starts it in.
  const closed = ['--no-env-file', `--config=${join(dirname(Bun.main), '..', 'bunfig.toml')}`];
  const command = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, ...closed, Bun.main];
  const place = database === undefined ? ['--data', resolve(data)] : ['--database', 'postgres://…'];
  const [executable, ...before] = command;
  const client = { mcpServers: { trivet: { command: executable, args: [...before, '--mcp', ...place] } } };
  return [
    ...lines,
    '',
    ...setup,
    '',
    'To use Trivet from an MCP client, paste this into its configuration:',
    JSON.stringify(client, null, 2),
    '',
  ];
}
