import { existsSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../core/base/errors.ts';
import { isExistingFile } from '../../../core/base/foreign-errors.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { refuseUnreadableFile } from '../../../core/db/sqlite/data-directory.ts';
import { flush, giveToOwner } from '../../../core/base/stored-file.ts';
import { authSettings, masterKeyFile } from '../base/settings.ts';

const keyBytes = 32;

/** The key that protects now, and beside it one that is still, or already, accepted while one replaces the other. */
interface MasterKeys {
  readonly current: Uint8Array;
  readonly other: Uint8Array | null;
}

/**
 * The master key of this process: from the configuration, or from `master.key` in the data directory, which the first use creates.
 */
export const ownMasterKey = perHost((host): Uint8Array => {
  const configured = configuredKey(host);
  return configured === undefined ? storedKey(host) : decodeKey(configured, 'TRIVET_MASTER_KEY');
});

const masterKeys = perHost((host): { known: MasterKeys } => ({
  known: { current: ownMasterKey(host), other: null },
}));

const sameBytes = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.from(one).equals(other);

/** Sets what the database says of a replacement (keys/master-key-replacement.ts). What was derived from equal keys is kept. */
export function setMasterKeys(host: Host, { current, other }: MasterKeys): void {
  const state = masterKeys(host);
  if (sameBytes(state.known.current, current) && sameBytes(state.known.other, other)) return;
  state.known = { current, other };
}

const derived = new WeakMap<Uint8Array, Map<string, Uint8Array>>();

/** Derives a key for one purpose, so that no two uses share a key (RFC 5869). */
export function deriveFrom(master: Uint8Array, purpose: string): Uint8Array {
  const known = derived.get(master) ?? new Map<string, Uint8Array>();
  derived.set(master, known);
  const key =
    known.get(purpose) ??
    new Uint8Array(nodeCrypto().hkdfSync('sha256', master, new Uint8Array(0), `trivet ${purpose}`, keyBytes));
  known.set(purpose, key);
  return key;
}

/** The key of one purpose. Not to be kept: another master key may replace the present one while the server runs. */
export const deriveKey = (host: Host) => (purpose: string) =>
  deriveFrom(masterKeys(host).known.current, purpose);

/** The keys of one purpose that are accepted: the present one first. */
export function acceptedKeys(host: Host, purpose: string): readonly Uint8Array[] {
  const { current, other } = masterKeys(host).known;
  return [current, ...(other ? [other] : [])].map((master) => deriveFrom(master, purpose));
}

const configuredKey = (host: Host) => host.config.read(authSettings)['master-key'];
const directoryOf = (host: Host) => resolve(host.config.read(coreSettings).data);

/** The key file that this process has created. */
const createdFile = perHost(() => ({ path: undefined as string | undefined }));

/** Removes the key file if this process has created it: it opens nothing, and the next start would mistake it for the right one. */
export function discardCreatedKey(host: Host): void {
  const created = createdFile(host);
  if (created.path !== undefined) rmSync(created.path, { force: true });
  created.path = undefined;
}

/** Whether a master key exists. Creates none. */
export const hasMasterKey = (host: Host): boolean =>
  configuredKey(host) !== undefined ||
  lstatSync(join(directoryOf(host), masterKeyFile), { throwIfNoEntry: false }) !== undefined;

export function decodeKey(text: string, from: string): Uint8Array {
  const bytes = Buffer.from(text.trim(), 'base64');
  // The decoder skips characters that are not base64: half a key and a comment would be read as a different key.
  if (bytes.length !== keyBytes || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text.trim())) {
    throw new UsageError(`${from} must be 32 bytes in base64. Make one with: openssl rand -base64 32`);
  }
  return bytes;
}

function storedKey(host: Host): Uint8Array {
  const directory = directoryOf(host);
  const path = join(directory, masterKeyFile);
  const created = createKeyFile(directory, path, Buffer.from(host.random(keyBytes)).toString('base64'));
  if (created) createdFile(host).path = path;
  const found = lstatSync(path);
  // Other users may be able to read or change the target of a link, now or later.
  if (found.isSymbolicLink()) {
    throw new UsageError(`${path} is a symbolic link. Name the file itself with --master-key-file.`);
  }
  if (!found.isFile()) throw new UsageError(`${path} is not a file.`);
  // A process that can read this file can sign tokens for every user.
  if (!created && (found.mode & 0o077) !== 0) {
    throw new UsageError(`${path} can be read by other users of this machine. Run: chmod 600 ${path}`);
  }
  refuseUnreadableFile(directory, path);
  return decodeKey(readFileSync(path, 'utf8'), path);
}

/** Creates the file unless it exists. If two processes start at once, exactly one creates it. @returns whether this one did. */
function createKeyFile(directory: string, path: string, content: string): boolean {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (existsSync(path)) return false;
  const part = `${path}.part-${crypto.randomUUID()}`;
  try {
    writeFileSync(part, `${content}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Created atomically: another process that starts now could otherwise read a part of it.
    linkSync(part, path);
    giveToOwner(path);
    // Otherwise a power cut could lose the key and keep the database that needs it.
    flush(directory);
    return true;
  } catch (error) {
    if (isExistingFile(error)) return false;
    throw new UsageError(`${path} cannot be created: ${(error as Error).message}`);
  } finally {
    rmSync(part, { force: true });
  }
}
