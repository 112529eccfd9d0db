import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Entry } from './archive.ts';
import { run } from './command.ts';
import { root } from './checkout.ts';
import type { Source } from './source.ts';

/** The contents of Debian's control file. */
interface DebianPackage {
  readonly version: string;
  readonly architecture: string;
  readonly maintainer: string;
  /** KiB of all files. */
  readonly installedSize: number;
}

/** A version in Debian's ordering: `~` sorts before the end, so 1.0.0~rc.1 is older than 1.0.0. */
export const debianVersion = (version: string): string => version.replace('-', '~');

export const controlText = ({ version, architecture, maintainer, installedSize }: DebianPackage): string =>
  [
    'Package: trivet',
    `Version: ${debianVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${installedSize}`,
    // Bun's executable requires nothing newer than GLIBC_2.17.
    'Depends: libc6 (>= 2.17), adduser',
    'Section: net',
    'Priority: optional',
    'Description: sign-in, call-to-action state and test management',
    ' One executable beside your app, over HTTP, MCP and the command line. It keeps its data',
    ' in SQLite in /var/lib/trivet, or in PostgreSQL.',
    ' .',
    ' The service "trivet" is installed and not started.',
    '',
  ].join('\n');

const files = ['trivet.service', 'trivet.toml', 'postinst', 'prerm', 'postrm'] as const;
const shells = [
  ['bash', 'usr/share/bash-completion/completions/trivet'],
  ['zsh', 'usr/share/zsh/vendor-completions/_trivet'],
  ['fish', 'usr/share/fish/vendor_completions.d/trivet.fish'],
] as const;

/** The files of the package; those of its control archive are below `DEBIAN/`. */
export async function debianEntries(
  about: Omit<DebianPackage, 'installedSize'>,
  executable: Uint8Array,
  copyright: string,
): Promise<readonly Entry[]> {
  const texts = await Promise.all(
    files.map((name) => Bun.file(join(root, 'release', 'debian', name)).bytes()),
  );
  const own = Object.fromEntries(files.map((name, i) => [name, texts[i]])) as Record<
    (typeof files)[number],
    Uint8Array
  >;
  const completions = await Promise.all(
    shells.map(async ([shell, path]) => {
      // In an empty environment: the TRIVET_URL of the person who makes the release would be refused here.
      const trivet = [process.execPath, '--no-env-file', 'modules/main.ts'];
      const script = await run(['env', '-i', ...trivet, 'completion', shell], { cwd: root });
      return { path, bytes: new TextEncoder().encode(script), mode: 0o644 };
    }),
  );
  const text = (content: string) => new TextEncoder().encode(content);
  const installed: readonly Entry[] = [
    { path: 'usr/bin/trivet', bytes: executable, mode: 0o755 },
    { path: 'usr/lib/systemd/system/trivet.service', bytes: own['trivet.service'], mode: 0o644 },
    { path: 'etc/trivet/trivet.toml', bytes: own['trivet.toml'], mode: 0o644 },
    { path: 'usr/share/doc/trivet/copyright', bytes: text(copyright), mode: 0o644 },
    ...completions,
  ];
  const bytes = installed.reduce((sum, { bytes: { length } = new Uint8Array() }) => sum + length, 0);
  const sums = installed
    .filter(({ path }) => !path.startsWith('etc/'))
    .map(({ path, bytes: content = new Uint8Array() }) => `${md5(content)}  ${path}\n`);
  const control = controlText({ ...about, installedSize: Math.ceil(bytes / 1_024) });
  return [
    ...installed,
    { path: 'DEBIAN/control', bytes: text(control), mode: 0o644 },
    { path: 'DEBIAN/conffiles', bytes: text('/etc/trivet/trivet.toml\n'), mode: 0o644 },
    { path: 'DEBIAN/md5sums', bytes: text(sums.toSorted().join('')), mode: 0o644 },
    { path: 'DEBIAN/postinst', bytes: own.postinst, mode: 0o755 },
    { path: 'DEBIAN/prerm', bytes: own.prerm, mode: 0o755 },
    { path: 'DEBIAN/postrm', bytes: own.postrm, mode: 0o755 },
  ];
}

/** dpkg compares files with it; it provides no security. */
const md5 = (bytes: Uint8Array) => new Bun.CryptoHasher('md5').update(bytes).digest('hex');

/** Writes the package with `dpkg-deb`. */
export async function writeDebianPackage(
  outfile: string,
  entries: readonly Entry[],
  { time }: Source,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trivet-deb-'));
  try {
    chmodSync(folder, 0o755);
    for (const { path, bytes = new Uint8Array(), mode } of entries) {
      const place = join(folder, path);
      mkdirSync(dirname(place), { recursive: true, mode: 0o755 });
      await Bun.write(place, bytes);
      // Independent of the umask.
      chmodSync(place, mode);
    }
    // dpkg-deb gives newer files the time of SOURCE_DATE_EPOCH. One thread, because the output of xz depends on their number. Level 1 takes
    // 28 s and 53 MB, level 6 86 s and 48 MB, gzip 2 s and 62 MB.
    const packed = ['-Zxz', '-z1', '--threads-max=1'];
    await run(['dpkg-deb', '--root-owner-group', ...packed, '--build', folder, outfile], {
      env: { SOURCE_DATE_EPOCH: String(time.getTime() / 1_000) },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
