import { join } from 'node:path';
import { root } from './checkout.ts';

/** One package of package-lock.json. */
interface LockedPackage {
  readonly version: string;
  /** The hash of its archive: `sha512-` and base64. */
  readonly integrity?: string;
  readonly license?: string;
}

/** The packages of package-lock.json by their path, e.g. `node_modules/jose`. */
export type Lockfile = Readonly<Record<string, LockedPackage | undefined>>;

export async function readLockfile(): Promise<Lockfile> {
  const { packages } = (await Bun.file(join(root, 'package-lock.json')).json()) as { packages: Lockfile };
  return packages;
}

/** The locked package at a path. @throws when the lockfile lacks it or its hash. */
export function locked(lockfile: Lockfile, path: string): LockedPackage & { readonly integrity: string } {
  const found = lockfile[path];
  if (!found?.integrity)
    throw new Error(
      `package-lock.json has no integrity for ${path}. Run npm install, and look at what it changes.`,
    );
  return { ...found, integrity: found.integrity };
}

/** @throws when an archive does not match the lockfile. */
export function requireIntegrity(name: string, bytes: Uint8Array, integrity: string): void {
  const is = `sha512-${new Bun.CryptoHasher('sha512').update(bytes).digest('base64')}`;
  if (is === integrity) return;
  throw new Error(
    `The archive of ${name} is not the one that package-lock.json names: ${is} instead of ${integrity}. ` +
      'It is not used. Somebody has changed it on its way, or at the registry.',
  );
}

/** The SHA-512 of an archive in hexadecimal, from its integrity. */
export const sha512Of = (integrity: string): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
