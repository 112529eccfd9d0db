import { beforeAll, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { exit, exitCodeOf, fail } from '../core/base/errors.ts';
import { temporaryDirectory } from '../test/temporary.ts';
import type { Entry } from './archive.ts';
import { run } from './command.ts';
import { controlText, debianEntries, debianVersion, writeDebianPackage } from './debian.ts';

/*
 * The contents of the package. A release also tests that it installs, starts in its sandbox, and keeps the data, in a Debian with systemd
 * (release/trial-debian.sh).
 *
 * Mutation note: seen to fail when the settings are no conffile, when the times of the files are those of the clock, and when TRIVET_URL of
 * whoever makes the release reaches the completions.
 */
test.each([
  ['1.2.3', '1.2.3'],
  ['1.0.0-rc.1', '1.0.0~rc.1'],
])('the version %s is %s in Debian', (version, debian) => {
  expect(debianVersion(version)).toBe(debian);
  const control = controlText({ version, architecture: 'arm64', maintainer: 'A <a@b.c>', installedSize: 7 });
  expect(control).toContain(
    `Package: trivet\nVersion: ${debian}\nArchitecture: arm64\nMaintainer: A <a@b.c>\n`,
  );
  expect(control).toContain('Installed-Size: 7\nDepends: libc6 (>= 2.17), adduser\n');
  // Each line of the long text begins with a space, and an empty one is a full stop.
  const [, text = ''] = control.split('Description: ');
  expect(
    text
      .split('\n')
      .slice(1, -1)
      .filter((line) => !/^ \S/.test(line)),
  ).toEqual([]);
});

const about = { version: '1.2.3', architecture: 'amd64', maintainer: 'A <a@b.c>' };
const executable = new TextEncoder().encode('an executable');
let entries: readonly Entry[];
beforeAll(async () => {
  process.env['TRIVET_URL'] = 'http://127.0.0.1:1';
  entries = await debianEntries(about, executable, 'a licence');
  delete process.env['TRIVET_URL'];
});

const textOf = (path: string) =>
  new TextDecoder().decode(entries.find((entry) => entry.path === path)?.bytes ?? new Uint8Array());

test('the files, their modes, and what dpkg must know of them', () => {
  expect(entries.map(({ path, mode }) => `${mode.toString(8)} ${path}`)).toEqual([
    '755 usr/bin/trivet',
    '644 usr/lib/systemd/system/trivet.service',
    '644 etc/trivet/trivet.toml',
    '644 usr/share/doc/trivet/copyright',
    '644 usr/share/bash-completion/completions/trivet',
    '644 usr/share/zsh/vendor-completions/_trivet',
    '644 usr/share/fish/vendor_completions.d/trivet.fish',
    '644 DEBIAN/control',
    '644 DEBIAN/conffiles',
    '644 DEBIAN/md5sums',
    '755 DEBIAN/postinst',
    '755 DEBIAN/prerm',
    '755 DEBIAN/postrm',
  ]);
  expect(textOf('DEBIAN/conffiles')).toBe('/etc/trivet/trivet.toml\n');
  expect(textOf('DEBIAN/md5sums')).toContain(
    `${new Bun.CryptoHasher('md5').update(executable).digest('hex')}  usr/bin/trivet\n`,
  );
  expect(textOf('DEBIAN/md5sums')).not.toContain('etc/');
  expect(textOf('usr/share/bash-completion/completions/trivet')).toContain('complete ');
});

test('nothing starts the server, and nothing deletes the data', () => {
  const scripts = ['postinst', 'prerm', 'postrm'].map((name) => textOf(`DEBIAN/${name}`)).join('\n');
  expect(scripts.match(/systemctl (?:--system )?[\w-]+/g)).toEqual([
    'systemctl --system daemon-reload',
    'systemctl try-restart',
    'systemctl enable',
    'systemctl stop',
    'systemctl --system daemon-reload',
  ]);
  // The only "enable" and the only "rm -r" are in messages to the administrator.
  expect(scripts).toContain('Start: systemctl enable --now trivet"');
  expect(scripts.match(/.*rm -r.*/g)).toEqual([expect.stringMatching(/^ *echo "/) as string]);
});

test('a mistake in the settings does not restart the service for ever, and it may write where backups go', () => {
  const unit = textOf('usr/lib/systemd/system/trivet.service');
  expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID\n');
  const [, after = ''] = /^RestartPreventExitStatus=(.*)$/m.exec(unit) ?? [];
  expect(after.split(' ').map(Number)).toEqual([exitCodeOf(fail.INVALID_REQUEST('x')), exit.usage]);
  expect(unit).toContain('Restart=on-failure');
  const [, backups = ''] = /^#backup-dir = "(.*)"$/m.exec(textOf('etc/trivet/trivet.toml')) ?? [];
  expect(unit).toContain(`\nReadWritePaths=-${backups}\n`);
  expect(textOf('DEBIAN/postinst')).toContain(` ${backups};`);
});

/** The scripts of the package write to the machine, so they get their own /etc, /var/lib and /var/backups. */
const apart = ['unshare', '--mount', '--propagation', 'private', 'sh', '-e', '-c'];
const isPossible =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...apart, 'mount -t tmpfs none /var/lib']).exitCode === 0;

/** @see Finding: /var/lib/trivet did not exist before the first start, so a restore or a new token created it as root. */
test.skipIf(!isPossible)(
  'the directories are there from the installation, for the service alone',
  async () => {
    const folder = temporaryDirectory('debian');
    for (const name of ['postinst', 'postrm']) await Bun.write(join(folder, name), textOf(`DEBIAN/${name}`));
    const etc = join(folder, 'etc');
    await Bun.write(
      join(etc, 'passwd'),
      'root:x:0:0::/root:/bin/sh\ntrivet:x:998:997::/var/lib/trivet:/bin/false\n',
    );
    await Bun.write(join(etc, 'group'), 'root:x:0:\ntrivet:x:997:\n');
    await Bun.write(join(etc, 'trivet', 'trivet.toml'), '');
    const script = `
    mount --bind ${etc} /etc; mount -t tmpfs none /var/lib; mount -t tmpfs none /var/backups
    look() { stat -c '%n %U:%G %a' /var/lib/trivet /var/backups/trivet 2>/dev/null || true; }
    sh ${folder}/postinst configure >/dev/null; look
    echo upgraded; touch /var/lib/trivet/trivet.db; chmod 750 /var/lib/trivet; sh ${folder}/postinst configure 0.1.0 >/dev/null; look
    echo purged; sh ${folder}/postrm purge; look`;
    expect((await run([...apart, script])).trim().split('\n')).toEqual([
      '/var/lib/trivet trivet:trivet 700',
      '/var/backups/trivet trivet:trivet 700',
      'upgraded',
      '/var/lib/trivet trivet:trivet 750',
      '/var/backups/trivet trivet:trivet 700',
      'purged',
      expect.stringContaining('The data in /var/lib/trivet'),
      '/var/lib/trivet trivet:trivet 750',
    ]);
  },
);

test('settings of the package are settings of Trivet', async () => {
  // Each example of the file, without its comment sign.
  const folder = temporaryDirectory('debian');
  const file = join(folder, 'trivet.toml');
  await Bun.write(file, textOf('etc/trivet/trivet.toml').replaceAll(/^#(?=\S)/gm, ''));
  const words = ['modules/main.ts', 'config', 'print', '--json', '--config', file];
  const printed = JSON.parse(
    await run(['env', '-i', process.execPath, '--no-env-file', ...words], {
      cwd: join(import.meta.dir, '..'),
    }),
  ) as { settings: ReadonlyArray<{ name: string; source: string }> };
  const given = printed.settings.filter(({ source }) => source.startsWith(file)).map(({ name }) => name);
  expect(given).toEqual(['public-url', 'trusted-proxies', 'backup-every', 'backup-dir', 'providers']);
});

test.skipIf(!Bun.which('dpkg-deb'))(
  'dpkg-deb makes the same bytes twice, with the time of the commit',
  async () => {
    const folder = temporaryDirectory('debian');
    const source = { version: '1.2.3', commit: 'abc', time: new Date('2026-01-02T03:04:05Z') };
    const files = ['a.deb', 'b.deb'].map((name) => join(folder, name));
    for (const file of files) await writeDebianPackage(file, entries, source);
    const [first, second] = await Promise.all(files.map((file) => Bun.file(file).bytes()));
    expect(second).toEqual(first);
    // ar(5): the first header begins after 8 bytes, with 16 of a name; then the time.
    expect(Number(new TextDecoder().decode(first?.subarray(24, 36)))).toBe(source.time.getTime() / 1_000);
    await run(['dpkg-deb', '-x', files[0] ?? '', join(folder, 'x')]);
    expect(statSync(join(folder, 'x/usr/bin/trivet')).mtime).toEqual(source.time);
    expect(existsSync(join(folder, 'x/DEBIAN'))).toBe(false);
    expect(await run(['dpkg-deb', '--field', files[0] ?? '', 'Version'])).toBe('1.2.3\n');
  },
);
