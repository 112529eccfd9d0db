import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { imageConfig } from './image.ts';
import { session } from './trial-session.ts';
import { CannotTry, emulatorFor, howBy, requirePrograms, requireRoot } from './trial.ts';

/** Unpacks the image as a container runtime does. @returns the root folder of each architecture. */
export async function unpackImage(
  archive: string,
  work: string,
): Promise<Readonly<Record<'amd64' | 'arm64', string>>> {
  if (!existsSync(archive)) throw new CannotTry('it was not built');
  requireRoot();
  requirePrograms({ umoci: 'umoci', skopeo: 'skopeo' });
  const layout = join(work, 'image');
  mkdirSync(layout, { recursive: true });
  await run(['tar', '-xf', archive, '-C', layout]);
  const [, version = ''] = /trivet-(.*)-image\.tar$/.exec(archive) ?? [];
  // skopeo compares every hash, of both architectures.
  await run([
    'skopeo',
    'copy',
    '--quiet',
    '--all',
    `oci:${layout}:${version}`,
    `dir:${join(work, 'copied')}`,
  ]);
  const roots = { amd64: join(work, 'root-amd64'), arm64: join(work, 'root-arm64') };
  for (const architecture of ['amd64', 'arm64'] as const)
    await run(['umoci', 'unpack', '--image', `${layout}:${version}-${architecture}`, roots[architecture]]);
  return { amd64: join(roots.amd64, 'rootfs'), arm64: join(roots.arm64, 'rootfs') };
}

/** Starts what the image starts, as its user and with its environment, in its files alone. */
export async function imageTrial(root: string, release: string): Promise<string> {
  requireRoot();
  requirePrograms({ unshare: 'util-linux' });
  const emulator = emulatorFor(release.replace('linux-', ''));
  const [program] = emulator;
  // It is linked statically, so it needs nothing of this machine.
  if (program !== undefined) copyFileSync(Bun.which(program) ?? program, join(root, program));
  // A container has /proc and /dev; these mounts end with the process.
  const script =
    'root=$1; user=$2; shift 2; mkdir -p "$root/proc" "$root/dev"; mount -t proc proc "$root/proc"; ' +
    'mount --bind /dev "$root/dev"; exec chroot --userspec="$user" "$root" "$@"';
  const { PATH: _ofTheImage, ...env } = Object.fromEntries(
    imageConfig.Env.map((line) => line.split('=') as [string, string]),
  );
  const inside = [...emulator.map((name) => `/${name}`), ...imageConfig.Entrypoint];
  const seen = await session({
    command: ['unshare', '--mount', 'sh', '-ec', script, 'sh', root, imageConfig.User, ...inside],
    env,
    data: [],
    release,
  });
  return `umoci and skopeo read it; in its files alone (chroot), as its user: ${seen}${howBy(emulator)}`;
}
