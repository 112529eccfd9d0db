import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { giveToOwner } from '../../../core/base/stored-file.ts';
import { shellWord } from '../../../core/base/own-command.ts';
import type { Host } from '../../../core/host/host.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { providers } from '../providers/configured-providers.ts';
import { invitationLink } from './invitation-link.ts';
import { setupCode, setupIsOpen } from './invitation-store.ts';

/*
 * The link of the first start grants the role admin, and many programs read the log of a service: journal, container platform, log
 * collectors. So it is shown on a terminal, and otherwise stored in a file that only the owner can read.
 */
const directoryOf = (host: Host) => resolve(host.config.read(coreSettings).data);
const pathOf = (host: Host) => join(directoryOf(host), 'setup-code');

/** Tells the user who starts a new server how to administer it; no lines after the code was redeemed. */
export async function setupLines(host: Host, terminal: boolean): Promise<readonly string[]> {
  if (terminal) {
    const wasOpen = await setupIsOpen(host);
    const code = await setupCode(host, 'again');
    return code === null
      ? []
      : [...(wasOpen ? unused : begun), `${works}:`, invitationLink(host, code), redeem(host)];
  }
  const path = pathOf(host);
  if (!existsSync(directoryOf(host))) {
    // All keys come from the environment, so the server has no directory.
    if (await setupIsOpen(host)) return [];
    const due = await setupCode(host, 'ask');
    return due === null ? [] : [...begun, `To administer it, run on this machine: ${tokenCommand(host)}`];
  }
  const code = await setupCode(host);
  if (code !== null) {
    rmSync(path, { force: true });
    writeFileSync(path, `${invitationLink(host, code)}\n`, { mode: 0o600, flag: 'wx' });
    giveToOwner(path);
    return [...begun, `${works}, in a file that only its owner can read: ${path}`, redeem(host)];
  }
  await forgetSettledCode(host);
  return existsSync(path) ? [`The link of the first start has not been used: ${path}`] : [];
}

const unused = ['The link of an earlier start was not used.'];
const begun = ['First start: an organization and its owner were created.'];
const works =
  'Link that makes you its administrator (works once, for 30 minutes; a later start makes another)';
/** How to use the link. Without the console, a browser needs an identity provider. */
const redeem = (host: Host): string =>
  host.modules.includes('console')
    ? 'Open it in a browser: as its owner, or with an account of yours if an identity provider is configured.'
    : withoutConsole(host);

const withoutConsole = (host: Host): string =>
  [...providers(host).values()].some(({ browser }) => browser !== null)
    ? 'Open it in a browser and sign in. Without one: sign in and redeem what follows the # with the tool accept-invitation.'
    : 'No identity provider works in a browser yet: give one a clientId in the configuration, or start with --dev. Until then run ' +
      `on this machine: ${tokenCommand(host)}`;

/** With the place of the data: in another directory the command would make a database of its own. */
function tokenCommand(host: Host): string {
  const { data, database } = host.config.read(coreSettings);
  const file = host.config.fileOf('database');
  const place =
    database === undefined
      ? `--data ${shellWord(resolve(data))}`
      : file === undefined
        ? "--database 'postgres://…'"
        : `--database-file ${shellWord(resolve(file))}`;
  return `trivet token create --email you@example.org --name admin ${place}`;
}

/** Removes the file of a code that was redeemed or has expired. */
export async function forgetSettledCode(host: Host): Promise<void> {
  if (existsSync(pathOf(host)) && !(await setupIsOpen(host))) rmSync(pathOf(host), { force: true });
}
