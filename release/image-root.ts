import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackTar } from 'modern-tar';
import type { Entry } from './archive.ts';
import { run } from './command.ts';
import { cache } from './runtime.ts';
import type { ImagePackage } from './sbom.ts';

/** The part of Debian that the executable needs: the C library, with which it is linked. TLS roots and time zones are in the executable. */
interface Base extends ImagePackage {
  /** The dynamic linker, at the path that the executable contains. */
  readonly linker: string;
  readonly folder: string;
}

/**
 * The C library of the image. For a newer one, which a security update of Debian requires, enter its version and the hash named in the
 * refusal of the old one; docs/releases.md says how.
 */
export const imageBases: Readonly<Record<'amd64' | 'arm64', Base>> = {
  amd64: {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    architecture: 'amd64',
    sha256: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
    linker: 'lib64/ld-linux-x86-64.so.2',
    folder: 'lib/x86_64-linux-gnu',
  },
  arm64: {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    architecture: 'arm64',
    sha256: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
    linker: 'lib/ld-linux-aarch64.so.1',
    folder: 'lib/aarch64-linux-gnu',
  },
};

/** Files of the package: the libraries linked by the executable (`readelf -d`), and the resolver, which the C library loads itself. */
const libraries = [
  'libc.so.6',
  'libdl.so.2',
  'libm.so.6',
  'libnss_dns.so.2',
  'libnss_files.so.2',
  'libpthread.so.0',
  'libresolv.so.2',
];

/** The user id it runs as: a number that is unused on the host, common for images without a shell. */
export const imageUser = 65_532;

const text = (content: string) => new TextEncoder().encode(content);

/** The files below the executable: those of the C library, and those that define the user. */
export async function baseEntries(base: Base): Promise<readonly Entry[]> {
  const archive = await debianArchive(base);
  const folder = `./${base.folder}/`;
  const linker = base.linker.split('/').at(-1) ?? '';
  const copyright = `./usr/share/doc/${base.name}/copyright`;
  const wanted = new Set([...libraries, linker].map((name) => folder + name).concat(copyright));
  const tar = Bun.spawn(['dpkg-deb', '--fsys-tarfile', archive], { stdout: 'pipe' });
  const found = await unpackTar(await new Response(tar.stdout).bytes(), {
    filter: ({ name }) => wanted.has(name),
  });
  const entries = found.map(({ header: { name }, data }): Entry => {
    const path = name === folder + linker ? base.linker : name.slice(2);
    return { path, bytes: data ?? new Uint8Array(), mode: path === base.linker ? 0o755 : 0o644 };
  });
  if (entries.length !== wanted.size) throw new Error(`${archive} has not all of ${[...wanted].join(', ')}.`);
  const files: readonly Entry[] = [
    ...entries,
    {
      path: 'etc/passwd',
      bytes: text(`root:x:0:0:root:/:/none\ntrivet:x:${imageUser}:${imageUser}::/data:/none\n`),
      mode: 0o644,
    },
    { path: 'etc/group', bytes: text(`root:x:0:\ntrivet:x:${imageUser}:\n`), mode: 0o644 },
    { path: 'etc/nsswitch.conf', bytes: text('hosts: files dns\n'), mode: 0o644 },
    { path: 'tmp', mode: 0o1777 },
    // A new volume takes owner and mode from the folder underneath.
    { path: 'data', mode: 0o700, owner: imageUser },
  ];
  return [...foldersOf(files), ...files];
}

/** The folders that contain the files, so that each has a mode. */
export const foldersOf = (entries: readonly Entry[]): readonly Entry[] =>
  [
    ...new Set(
      entries.flatMap(({ path }) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_part, i, parts) => parts.slice(0, i + 1).join('/')),
      ),
    ),
  ].map((path) => ({ path, mode: 0o755 }));

/**
 * A package of Debian, identified by its hash. apt-get fetches it with separate package lists, so the machine need not know the other
 * architecture.
 * @throws when the archive of Debian now has another version, with the values to enter instead.
 */
async function debianArchive({ name, version, architecture, sha256 }: ImagePackage): Promise<string> {
  const kept = join(cache, `${name}_${version}_${architecture}.deb`);
  if (!existsSync(kept)) {
    const state = join(cache, `apt-${architecture}`);
    for (const folder of ['lists/partial', 'archives/partial'])
      mkdirSync(join(state, folder), { recursive: true });
    writeFileSync(join(state, 'status'), '');
    const settings = {
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      'APT::Sandbox::User': 'root',
      'Dir::State': state,
      'Dir::State::lists': join(state, 'lists'),
      'Dir::State::status': join(state, 'status'),
      'Dir::Cache': state,
    };
    const words = Object.entries(settings).map(([key, value]) => `-o${key}=${value}`);
    await run(['apt-get', '-qq', ...words, 'update']);
    await run(['apt-get', '-qq', ...words, 'download', `${name}=${version}`], { cwd: cache }).catch(
      async () => {
        const now = await run(['apt-cache', ...words, 'show', name]);
        const of = (field: string) => new RegExp(`^${field}: (.*)$`, 'm').exec(now)?.[1];
        throw new Error(
          `Debian has no ${name} ${version} for ${architecture} any more. Write into release/image-root.ts: version ` +
            `${of('Version')}, sha256 ${of('SHA256')}. Or put the old package into ${cache}.`,
        );
      },
    );
  }
  const is = new Bun.CryptoHasher('sha256').update(await Bun.file(kept).bytes()).digest('hex');
  if (is !== sha256)
    throw new Error(`${kept} has the hash ${is}, and not ${sha256} of release/image-root.ts.`);
  return kept;
}
