import { exit, UsageError } from '../../base/errors.ts';
import { hasLogin, loginToken } from '../../login/login-credential.ts';
import { accountOf, browserLogin, deviceLogin, endLogin, type Account } from '../../login/login-client.ts';
import { loginPath, readLogins, withLock, writeLogin } from '../../login/login-file.ts';
import { serverOriginOf } from '../../base/server-address.ts';
import { clientSettings } from '../../settings/settings.ts';
import { isTerminal, writeError } from '../../base/standard-streams.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { escapeJson, escapeControls } from '../invocation/terminal-text.ts';
import { loginSettings } from '../invocation/command-settings.ts';

/** The default address of a server on this machine. */
const usualServer = 'http://127.0.0.1:8787';

/** `trivet login`: signs in with a browser and keeps the tokens of this user. */
export async function runLogin({ config }: Invocation): Promise<number> {
  const { url = usualServer, json } = config.read(clientSettings);
  const { device } = config.read(loginSettings);
  const login = device
    ? await deviceLogin(url, ({ address, code }) => {
        writeError(
          escapeControls(
            `Open this address in a browser on any device:\n\n  ${address}\n\nand enter the code ${code}\n`,
          ),
        );
      })
    : await browserLogin(url, (address) => {
        writeError(escapeControls(`Open this address in a browser on this machine:\n\n  ${address}\n\n`));
        if (isTerminal('stderr')) openInBrowser(address);
      });
  const server = serverOriginOf(url);
  const account = await accountOf(url, login.accessToken);
  await withLock(async () => writeLogin(server, login));
  if (json) return print(`${escapeJson({ server, ...account })}\n`);
  return print(
    escapeControls(`Signed in at ${server} as ${nameOf(account)}.\nThe tokens are in ${loginPath()}\n`),
  );
}

/** `trivet logout`: ends the session at the server and forgets its tokens. */
export async function runLogout({ config }: Invocation): Promise<number> {
  const { url, json } = config.read(clientSettings);
  const server = chosenServer(url);
  const login = readLogins()[server];
  if (!login) throw notSignedIn(server);
  const ended = await withLock(async () => {
    // Another process may have renewed it meanwhile.
    const done = await endLogin(server, readLogins()[server] ?? login);
    writeLogin(server, null);
    return done;
  });
  if (!ended)
    writeError(
      escapeControls(
        `The server at ${server} could not be reached: the session there goes on until it ends by itself.\n`,
      ),
    );
  return print(json ? `${escapeJson({ server, ended })}\n` : escapeControls(`Signed out at ${server}.\n`));
}

/** `trivet whoami`: the user whose token commands with `--url` would use. */
export async function runWhoami({ config }: Invocation): Promise<number> {
  const { url, token, json } = config.read(clientSettings);
  const server = token !== undefined && url !== undefined ? serverOriginOf(url) : chosenServer(url);
  if (token === undefined && !hasLogin(server)) throw notSignedIn(server);
  const account = await accountOf(server, token ?? (await loginToken(server)));
  if (json) return print(`${escapeJson({ server, ...account })}\n`);
  const roles = account.organizations.map(
    ({ orgId, orgName, role }) => `  ${role} of ${orgName} (${orgId})\n`,
  );
  const where = roles.length > 0 ? roles.join('') : '  member of no organization\n';
  return print(escapeControls(`${nameOf(account)} at ${server}\n${where}`));
}

const nameOf = ({ sub, email, name }: Account) => `${email ?? name ?? 'user'} (user ${sub})`;

/** The server of `--url`, or the only one at which this user has signed in. @throws UsageError. */
function chosenServer(url: string | undefined): string {
  if (url !== undefined) return serverOriginOf(url);
  const [only, ...more] = Object.keys(readLogins());
  if (only === undefined) throw notSignedIn(undefined);
  if (more.length === 0) return only;
  throw new UsageError(
    `You are signed in at several servers. Name one with --url: ${[only, ...more].join(', ')}`,
    exit.usage,
  );
}

const notSignedIn = (server: string | undefined) =>
  new UsageError(
    server === undefined
      ? 'You are signed in nowhere. Run: trivet login --url URL'
      : `You are not signed in at ${server}. Run: trivet login --url ${server}`,
    exit.auth,
  );

/** Tries to open a browser. The result is unknown, so the address is shown first. */
function openInBrowser(address: string): void {
  const openers: Readonly<Record<string, readonly string[]>> = {
    darwin: ['open'],
    // Not "start": the shell would interpret the & in the address.
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  try {
    const words = [...(openers[process.platform] ?? ['xdg-open']), address];
    Bun.spawn(words, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).unref();
  } catch {
    // The program does not exist.
  }
}
