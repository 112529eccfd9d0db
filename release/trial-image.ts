import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { root as checkout } from './checkout.ts';
import { imageConfig } from './image.ts';
import { freePort, organizations, serving, session, tokenWords, type Started } from './trial-session.ts';
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

/**
 * How to start the process of the image: as its user, with its environment, and only with its files. Only the data folder and /tmp are
 * writable, as with `read_only: true`.
 */
function inImage(root: string, release: string): Omit<Started, 'release'> & { readonly by: string } {
  requireRoot();
  requirePrograms({ unshare: 'util-linux' });
  const emulator = emulatorFor(release.replace('linux-', ''));
  const [program] = emulator;
  // It is statically linked, so it needs nothing of this machine.
  if (program !== undefined) copyFileSync(Bun.which(program) ?? program, join(root, program));
  for (const folder of ['proc', 'dev']) mkdirSync(join(root, folder), { recursive: true });
  // A container has /proc and /dev; these mounts end with the process.
  const script =
    'root=$1; user=$2; shift 2; mount --bind "$root" "$root"; mount -t proc proc "$root/proc"; ' +
    'mount --bind /dev "$root/dev"; mount --bind "$root/data" "$root/data"; mount -t tmpfs tmp "$root/tmp"; ' +
    'mount -o remount,bind,ro "$root"; exec chroot --userspec="$user" "$root" "$@"';
  const { PATH: _ofTheImage, ...env } = Object.fromEntries(
    imageConfig.Env.map((line) => line.split('=') as [string, string]),
  );
  const inside = [...emulator.map((name) => `/${name}`), ...imageConfig.Entrypoint];
  const command = ['unshare', '--mount', 'sh', '-ec', script, 'sh', root, imageConfig.User, ...inside];
  return { command, env, data: [], by: howBy(emulator) };
}

/** Starts the process of the image. */
export async function imageTrial(root: string, release: string): Promise<string> {
  const { by, ...started } = inImage(root, release);
  return `read by umoci and skopeo; in its files alone, read-only, as its user: ${await session({ ...started, release })}${by}`;
}

interface ComposeFile {
  readonly services: { readonly trivet: { readonly environment: Readonly<Record<string, string>> } };
}

/** Starts the image with the environment of the example, and Caddy in front of it with the example's Caddyfile. */
export async function composeTrial(root: string, release: string, work: string): Promise<string> {
  requirePrograms({ caddy: 'caddy' });
  const folder = join(checkout, 'examples', 'compose');
  const file = Bun.YAML.parse(await Bun.file(join(folder, 'compose.yaml')).text()) as ComposeFile;
  // For a name of its own machine, Caddy creates a certificate by itself. Both have their default ports in a separate container.
  const domain = `localhost:${await freePort()}`;
  const given = Object.entries(file.services.trivet.environment).map(
    ([name, value]) => [name, value.replace(/\$\{TRIVET_DOMAIN[^}]*\}/, domain)] as const,
  );
  const { command, env, data } = inImage(root, release);
  return serving({ command, data, env: { ...env, ...Object.fromEntries(given) } }, async (running) => {
    const text = await Bun.file(join(folder, 'Caddyfile')).text();
    const config = join(work, 'Caddyfile');
    const options = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n`;
    await Bun.write(config, options + text.replace('trivet:8787', `127.0.0.1:${running.port}`));
    const caddy = Bun.spawn(['caddy', 'run', '--adapter', 'caddyfile', '--config', config], {
      env: { PATH: process.env['PATH'] ?? '', HOME: work, TRIVET_DOMAIN: domain },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    try {
      const token = await running.must(...tokenWords);
      await answering(`https://${domain}/readyz`);
      await organizations(`https://${domain}`, token);
      if (running.said().includes('forwarded_for_ignored'))
        throw new Error('the server ignored the header X-Forwarded-For of Caddy');
      await running.stop();
    } finally {
      caddy.kill('SIGTERM');
      await caddy.exited;
    }
    return 'the image with the environment of compose.yaml, read-only, Caddy with its Caddyfile before it: a tool over TLS; no Docker';
  });
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const response = await fetch(url, { proxy: false, tls: { rejectUnauthorized: false } }).catch(() => null);
    if (response?.status === 200) return;
    await Bun.sleep(200);
  }
  throw new Error(`${url} does not answer`);
}
