import { isExistingFile } from '../../../core/foreign-errors.ts';
import { UsageError } from '../../../core/errors.ts';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import { perHost, type Host } from '../../../core/host.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { authSettings, masterKeyFile } from '../settings.ts';

const keyBytes = 32;

/** Derives a key for one purpose, so that no two uses share one (RFC 5869). */
type DeriveKey = (purpose: string) => Uint8Array<ArrayBuffer>;

/** The master key of this data: from the configuration, or from `master.key` in the data directory, made on first use. */
export const deriveKey = perHost((host): DeriveKey => {
  const master = configuredKey(host) ?? storedKey(host);
  return (purpose) =>
    new Uint8Array(hkdfSync('sha256', master, new Uint8Array(0), `trivet ${purpose}`, keyBytes));
});

function configuredKey(host: Host): Uint8Array | undefined {
  const given = host.config.read(authSettings)['master-key'];
  return given === undefined ? undefined : decodeKey(given, 'TRIVET_MASTER_KEY');
}

/** Whether there is a master key, without making one. */
export const hasMasterKey = (host: Host): boolean =>
  host.config.read(authSettings)['master-key'] !== undefined ||
  lstatSync(join(resolve(host.config.read(coreSettings).data), masterKeyFile), { throwIfNoEntry: false }) !==
    undefined;

function decodeKey(text: string, from: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64');
  // The decoder skips what is no base64: half a key and a comment would be taken for another key.
  if (bytes.length !== keyBytes || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text.trim())) {
    throw new UsageError(`${from} must be 32 bytes in base64. Make one with: openssl rand -base64 32`);
  }
  return bytes;
}

function storedKey(host: Host): Uint8Array {
  const directory = resolve(host.config.read(coreSettings).data);
  const path = join(directory, masterKeyFile);
  const made = createKeyFile(directory, path, Buffer.from(host.random(keyBytes)).toString('base64'));
  const { mode, isLink, isFile } = kindOf(path);
  // A link may lead to a file that somebody else can read or change, now or later.
  if (isLink) {
    throw new UsageError(`${path} is a symbolic link. Name the file itself with --master-key-file.`);
  }
  if (!isFile) throw new UsageError(`${path} is not a file.`);
  // Whoever can read this file can sign tokens for everybody.
  if (!made && (mode & 0o077) !== 0) {
    throw new UsageError(`${path} can be read by other users of this machine. Run: chmod 600 ${path}`);
  }
  return decodeKey(readFileSync(path, 'utf8'), path);
}

function kindOf(path: string) {
  const found = lstatSync(path);
  return { mode: found.mode, isLink: found.isSymbolicLink(), isFile: found.isFile() };
}

/** Creates the file unless it exists; of two starting processes exactly one does. */
function createKeyFile(directory: string, path: string, content: string): boolean {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (isExistingFile(error)) return false;
    throw new UsageError(`${path} cannot be created: ${(error as Error).message}`);
  }
  try {
    writeSync(file, `${content}\n`);
    // Without it a power cut could keep the database and lose the key that opens it.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return true;
}
