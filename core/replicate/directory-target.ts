import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isExistingFile, isMissingFile } from '../base/foreign-errors.ts';
import type { Listed } from './replica-listing.ts';
import type { ReplicaTarget } from './replica-target.ts';

/** A file that is being written. */
const partSuffix = '.part';

/** A replica in a directory, e.g. of another disk or of a file server. Only the owner can read its files. */
export function directoryTarget(given: string): ReplicaTarget {
  const directory = resolve(given);
  const place = (key: string) => join(directory, ...key.split('/'));
  const known = new Set<string>();
  let parts = 0;
  /** Whether the directory was there. A disk that was unmounted since must not get another one in its place, under its mount point. */
  let wasThere = false;

  const list = async (prefix: string, after = ''): Promise<readonly Listed[]> => {
    const found: Listed[] = [];
    const within = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const keys = await keysBelow(directory, within);
    wasThere ||= keys.length > 0;
    for (const key of keys) {
      if (!key.startsWith(prefix) || key <= after || key.endsWith(partSuffix)) continue;
      const size = await sizeOf(place(key));
      if (size !== undefined) found.push({ key, bytes: size });
    }
    return found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };

  const put = async (key: string, bytes: Uint8Array): Promise<void> => {
    const path = place(key);
    const folder = dirname(path);
    if (!known.has(folder)) {
      await (wasThere ? makeBelow(directory, folder) : mkdir(folder, { recursive: true, mode: 0o700 }));
      wasThere = true;
      known.add(folder);
    }
    // Of its own: a renewal that hangs is tried again beside the first one.
    const part = `${path}.${process.pid}-${parts++}${partSuffix}`;
    try {
      const file = await open(part, 'w', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, path);
      await flushed(folder);
    } catch (error) {
      known.delete(folder);
      await rm(part, { force: true }).catch(() => {});
      throw error;
    }
  };

  return {
    name: `file://${directory}`,
    list,
    get: async (key) => {
      try {
        return await readFile(place(key));
      } catch (error) {
        if (isMissingFile(error)) return undefined;
        throw error;
      }
    },
    put,
    remove: async (keys) => {
      for (const key of keys) await rm(place(key), { force: true });
    },
  };
}

/** Makes the folders of a directory, and not the directory itself. @throws the error ENOENT without it. */
async function makeBelow(directory: string, folder: string): Promise<void> {
  let path = directory;
  for (const name of relative(directory, folder)
    .split(sep)
    .filter((one) => one !== '')) {
    path = join(path, name);
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (!isExistingFile(error)) throw error;
    });
  }
}

async function keysBelow(directory: string, within: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(join(directory, within), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(directory.length + 1)
          .replaceAll('\\', '/'),
      );
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

async function flushed(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
