import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { root } from './checkout.ts';
import { CannotTry, NotRun, requirePrograms, requireRoot } from './trial.ts';

/** The expected output of release/trial-debian.sh. */
const expected = [
  'installed: inactive disabled',
  'data before the first start: trivet 700',
  'started: active enabled',
  'healthcheck: ready',
  'user: trivet',
  'no new privileges, capabilities, seccomp: 1 0000000000000000 2',
  'tool: "total":1',
  'data: trivet 700 trivet 600',
  'upgraded: active enabled',
  'the new version runs',
  'a mistake: failed, restarted 0 times',
  'removed: inactive, , # mine, /var/lib/trivet/trivet.db',
  'purged: , /var/lib/trivet/trivet.db, trivet',
  'end',
];

const unit = '[Unit]\nDescription=Tries the package\n\n[Service]\nType=oneshot\nExecStart=/try/try.sh\n';

/**
 * Starts a Debian with systemd in a container, installs the package there, starts, upgrades, removes and purges it. Our own machine is not
 * changed.
 * @param cache where the Debian is kept between two trials.
 */
export async function debianTrial(packageFile: string, work: string, cache: string): Promise<string> {
  if (!existsSync(packageFile)) throw new CannotTry('it was not built');
  requireRoot();
  requirePrograms({ debootstrap: 'debootstrap', 'systemd-nspawn': 'systemd-container' });
  const debian = join(cache, 'debian');
  if (!existsSync(debian)) await install(debian);
  const shared = join(work, 'try');
  mkdirSync(shared, { recursive: true });
  copyFileSync(packageFile, join(shared, 'trivet.deb'));
  copyFileSync(join(root, 'release', 'trial-debian.sh'), join(shared, 'try.sh'));
  chmodSync(join(shared, 'try.sh'), 0o755);
  // Its writes are kept in memory and discarded; --register: there may be no systemd outside.
  const words = ['--quiet', '--register=no', '--keep-unit', '--volatile=overlay', `--bind=${shared}:/try`];
  await run(['timeout', '180', 'systemd-nspawn', ...words, '--boot', `--directory=${debian}`]);
  const said = (await Bun.file(join(shared, 'said')).text()).trim();
  if (said !== expected.join('\n'))
    throw new Error(
      `it said\n${said}\ninstead of\n${expected.join('\n')}\n${await Bun.file(join(shared, 'log')).text()}`,
    );
  return 'Debian 12 with systemd: installed (not started), started in its sandbox, tool, upgraded, removed, purged; the data stay';
}

/** A package for another architecture than that of this machine. */
export async function debianLook(packageFile: string, architecture: string): Promise<NotRun> {
  if (!existsSync(packageFile)) throw new CannotTry('it was not built');
  requirePrograms({ 'dpkg-deb': 'dpkg' });
  const is = (await run(['dpkg-deb', '--field', packageFile, 'Architecture'])).trim();
  if (is !== architecture) throw new Error(`its architecture is ${is}`);
  return new NotRun('not installed: another architecture. dpkg-deb reads it');
}

/** Installs a small Debian from the package source of this machine. */
async function install(debian: string): Promise<void> {
  const places = await run([
    'apt-get',
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Codename: bookworm',
  ]).catch(() => '');
  const mirror = places
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 1);
  const making = `${debian}.making`;
  rmSync(making, { recursive: true, force: true });
  const include = '--include=systemd,systemd-sysv,adduser,procps';
  await run(['debootstrap', '--variant=minbase', include, 'bookworm', making, ...mirror]);
  await Bun.write(join(making, 'etc/systemd/system/try.service'), unit);
  const wanted = join(making, 'etc/systemd/system/multi-user.target.wants');
  mkdirSync(wanted, { recursive: true });
  symlinkSync('/etc/systemd/system/try.service', join(wanted, 'try.service'));
  renameSync(making, debian);
}
