import { chmodSync, mkdirSync, openSync, closeSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ageMs, systemClock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { isExistingFile, isMissingFile } from '../base/foreign-errors.ts';
import { replaceFile } from '../base/stored-file.ts';

/** A sign-in of `trivet login` at one server. */
export interface Login {
  /** The issuer of the tokens. */
  readonly issuer: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires, epoch ms. */
  readonly expiresAt: number;
}

type Logins = Readonly<Record<string, Login>>;

/** The file with the sign-ins of this user, in the system's directory for user configuration. */
export function loginPath(): string {
  const { env } = process;
  const home = env['HOME'] ?? homedir();
  const base =
    process.platform === 'win32'
      ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
      : // The XDG Base Directory Specification ignores a relative path.
        env['XDG_CONFIG_HOME']?.startsWith('/')
        ? env['XDG_CONFIG_HOME']
        : join(home, '.config');
  return join(base, 'trivet', 'logins.json');
}

/** All sign-ins of this user by server. @throws UsageError when others can read the file, or when it is damaged. */
export function readLogins(): Logins {
  const path = loginPath();
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, 'utf8');
    mode = statSync(path).mode;
  } catch (error) {
    if (isMissingFile(error)) return {};
    throw new UsageError(`${path} cannot be read.`);
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new UsageError(`${path} can be read by other users of this machine. Run: chmod 600 ${path}`);
  try {
    const { servers } = JSON.parse(text) as { servers?: Logins };
    if (typeof servers === 'object' && servers !== null) return servers;
  } catch {
    // The text contains tokens, so it is not quoted.
  }
  throw new UsageError(`${path} is damaged. Remove it and sign in again with trivet login.`);
}

/** Stores a sign-in; null removes it. Call it under {@link withLock}. */
export function writeLogin(server: string, login: Login | null): void {
  const { [server]: _, ...others } = readLogins();
  const servers = login === null ? others : { ...others, [server]: login };
  replaceFile(loginPath(), `${JSON.stringify({ servers }, null, 2)}\n`);
}

/** The age at which a lock is ignored: a refresh takes a second, and a killed process leaves its lock. */
const staleMs = 30_000;
const waitMs = 50;

/** Runs `work` while no other process of this user changes the file, because a refresh token works only once. */
export async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const path = loginPath();
  const lock = `${path}.lock`;
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') chmodSync(directory, 0o700);
  while (!taken(lock)) await Bun.sleep(waitMs);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!isExistingFile(error))
      throw new UsageError(`${lock} cannot be created: ${(error as Error).message}`);
  }
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && ageMs(systemClock.now(), since) > staleMs) rmSync(lock, { force: true });
  return false;
}
