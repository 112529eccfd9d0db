import { dirname, join, resolve } from 'node:path';
import type { Host } from '../../core/host/host.ts';
import type { ModuleParts } from '../../core/module/module.ts';
import { coreSettings } from '../../core/settings/settings.ts';
import { endOldGroupRoles } from './administration/group-role-job.ts';
import { exportCheck } from './audit-export/export-check.ts';
import { exportAudit, exportEveryMs } from './audit-export/export-job.ts';
import { keyCheck } from './keys/key-check.ts';
import { keyRing, rotateKeys } from './keys/key-ring.ts';
import { checkMasterKey, followMasterKey } from './keys/master-key-check.ts';
import { learnEveryMs } from './keys/master-key-replacement.ts';
import { authMetrics } from './base/metrics.ts';
import { removeUnusedGuests } from './guests/guest-expiry.ts';
import { guestRoutes } from './guests/guest-routes.ts';
import { identityRoutes } from './identities/identity-routes.ts';
import { introspectionRoutes } from './introspection/introspection-routes.ts';
import { authorizeRoutes } from './oauth/authorize-routes.ts';
import { clientRoutes } from './oauth/client-routes.ts';
import { deviceRoutes } from './oauth/device-routes.ts';
import { endRoutes } from './letters/end-routes.ts';
import { smtpCheck } from './letters/smtp-check.ts';
import { linkRoutes } from './oauth/link-routes.ts';
import { metadataRoutes } from './oauth/metadata-routes.ts';
import { setupLines } from './people/setup-code.ts';
import { providerCheck } from './providers/provider-check.ts';
import * as tables from './base/schema.ts';
import { removeExpired } from './sessions/expiry.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import { authRoutes } from './sessions/sign-in-routes.ts';

export const parts: ModuleParts = {
  tables,
  metrics: authMetrics,
  checks: [keyCheck, providerCheck, exportCheck, smtpCheck],
  jobs: [
    { name: 'follow-master-key', everyMs: learnEveryMs, run: followMasterKey },
    { name: 'rotate-keys', everyMs: 60_000, run: async (host) => void (await rotateKeys(host)) },
    { name: 'end-old-group-roles', everyMs: 60_000, run: endOldGroupRoles },
    { name: 'audit-export', everyMs: exportEveryMs, run: exportAudit },
    { name: 'remove-expired', everyMs: 3_600_000, run: async (host) => void (await removeExpired(host)) },
    {
      name: 'remove-unused-guests',
      everyMs: 3_600_000,
      run: async (host) => void (await removeUnusedGuests(host)),
    },
  ],
  routes: (app, host) => {
    authRoutes(app, host);
    sessionRoutes(app, host);
    guestRoutes(app, host);
    identityRoutes(app, host);
    introspectionRoutes(app, host);
    metadataRoutes(app, host);
    clientRoutes(app, host);
    authorizeRoutes(app, host);
    deviceRoutes(app, host);
    linkRoutes(app, host);
    endRoutes(app, host);
  },
  ready: async (host) => {
    await checkMasterKey(host);
    await keyRing(host).published();
  },
  greeting,
};

/** The lines of a first start: how to administer Trivet, and the configuration for an MCP client. */
async function greeting(host: Host, { terminal }: { readonly terminal: boolean }) {
  const { data, database, dev } = host.config.read(coreSettings);
  const lines: string[] = [];
  if (dev) lines.push('--dev: anyone on this machine can sign in as anyone (trivet dev id-token --email …).');
  const setup = await setupLines(host, terminal);
  if (setup.length === 0) return lines;
  // When running from the sources, Bun would read the bunfig.toml and the .env of the client's working directory.
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
