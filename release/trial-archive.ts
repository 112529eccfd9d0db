import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { signatureFault, signedAdHoc } from './mach-signature.ts';
import { executableName, type Target } from './target.ts';
import { session } from './trial-session.ts';
import { CannotTry, emulatorFor, howBy, NotRun, requirePrograms } from './trial.ts';

interface Place {
  /** The folder of the archives, in which they may be unpacked. */
  readonly folder: string;
  readonly work: string;
  readonly version: string;
  /** The root folder of an architecture's image, which contains the C library; undefined when it is not unpacked. */
  readonly imageRoot: (architecture: 'amd64' | 'arm64') => string | undefined;
  /** A root folder with musl and its libstdc++, e.g. of Alpine, by `x64` and `arm64`. */
  readonly muslRoots: Readonly<Record<string, string | undefined>>;
}

/** Unpacks the archive of a target and tests it as far as possible on this machine. */
export async function archiveTrial(target: Target, place: Place): Promise<string | NotRun> {
  const executable = await unpacked(target, place);
  const [system, cpu = '', libc] = target.name.split('-');
  if (system === 'darwin') return macTrial(await Bun.file(executable).bytes(), cpu);
  if (system === 'windows') return windowsTrial(await Bun.file(executable).bytes());
  if (process.platform !== 'linux') throw new CannotTry(`this machine is ${process.platform}`);
  const emulator = emulatorFor(cpu);
  const data = ['--data', join(place.work, `data-${target.name}`)];
  const started = { env: {}, data, release: target.name };
  if (libc === 'musl') {
    const root = place.muslRoots[cpu];
    if (root === undefined)
      throw new CannotTry(`no root folder with musl and libstdc++ is given (--musl-${cpu} DIR)`);
    const loader = join(root, 'lib', `ld-musl-${cpu === 'x64' ? 'x86_64' : 'aarch64'}.so.1`);
    const libraries = `${join(root, 'lib')}:${join(root, 'usr', 'lib')}`;
    const command = [...emulator, loader, '--library-path', libraries, executable];
    return `${await session({ ...started, command })}${howBy(emulator)}`;
  }
  if (emulator.length === 0) return session({ ...started, command: [executable] });
  const root = place.imageRoot(cpu === 'x64' ? 'amd64' : 'arm64');
  if (root === undefined) throw new CannotTry('the C library of its image is needed, which was not unpacked');
  return `${await session({ ...started, command: [...emulator, '-L', root, executable] })}${howBy(emulator)}`;
}

async function unpacked(target: Target, { folder, work, version }: Place): Promise<string> {
  const prefix = `trivet-${version}-${target.name}`;
  const archive = join(folder, `${prefix}.${target.archive}`);
  if (!(await Bun.file(archive).exists())) throw new CannotTry('it was not built');
  mkdirSync(work, { recursive: true });
  if (target.archive === 'zip') {
    requirePrograms({ unzip: 'unzip' });
    await run(['unzip', '-q', '-o', archive, '-d', work]);
  } else await run(['tar', '-xzf', archive, '-C', work]);
  return join(work, prefix, executableName(target));
}

/** There is no Mac here. The signature, without which macOS refuses to start anything, can be checked. */
function macTrial(bytes: Uint8Array, cpu: string): NotRun {
  const fault = signatureFault(bytes);
  if (fault !== null) throw new Error(`the signature: ${fault}`);
  // Bun signs for arm64 by itself: our signer must produce the same bytes, which shows that it is correct for x64 as well.
  if (cpu === 'arm64' && !Buffer.from(signedAdHoc(bytes, 'a.out')).equals(bytes))
    throw new Error('our signer would sign it otherwise than Bun');
  return new NotRun('no Mac here. Mach-O; every page has the hash of the ad hoc signature');
}

/** "PE\0\0", then the machine x86-64. */
function windowsTrial(bytes: Uint8Array): NotRun {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const at = view.getUint32(0x3c, true);
  if (view.getUint16(0) !== 0x4d5a || view.getUint32(at) !== 0x50450000)
    throw new Error('this is no executable of Windows');
  if (view.getUint16(at + 4, true) !== 0x8664) throw new Error('this is not for x86-64');
  return new NotRun('no Windows here. PE for x86-64, not signed');
}
