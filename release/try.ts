import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checksumFile } from './checksum.ts';
import { run, say } from './command.ts';
import { debianVersion } from './debian.ts';
import { root } from './checkout.ts';
import { cache } from './runtime.ts';
import { targets } from './target.ts';
import { archiveTrial } from './trial-archive.ts';
import { debianLook, debianTrial } from './trial-debian.ts';
import { composeTrial, imageTrial, unpackImage } from './trial-image.ts';
import { CannotTry, NotRun, requirePrograms, tableOf, tried, type Trial } from './trial.ts';

/*
 * `npm run release:try`: starts the results of `npm run release` like users do, as far as this machine can, and reports what it could not
 * start. Exit code 1 if something does not work.
 */
const { values: options } = parseArgs({
  options: {
    'musl-x64': { type: 'string' },
    'musl-arm64': { type: 'string' },
    'minisign-key': { type: 'string' },
  },
});

const folder = join(root, 'dist', 'release');
const { version } = (await Bun.file(join(root, 'package.json')).json()) as { version: string };
const work = mkdtempSync(join(tmpdir(), 'trivet-try-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));

const trials: Trial[] = [];
const trying = async (what: string, how: () => Promise<string | NotRun>) => {
  const trial = await tried(what, how);
  say(tableOf([trial]).trimEnd());
  trials.push(trial);
};

await trying(checksumFile, async () => {
  await run(['sha256sum', '--check', '--strict', checksumFile], { cwd: folder });
  return 'every file has its hash';
});
await trying(`${checksumFile}.minisig`, async () => {
  const key = options['minisign-key'];
  if (key === undefined) throw new CannotTry('no public key is given (--minisign-key KEY)');
  requirePrograms({ minisign: 'minisign' });
  return (await run(['minisign', '-Vm', join(folder, checksumFile), '-P', key]))
    .trim()
    .replaceAll('\n', '; ');
});

let roots: Awaited<ReturnType<typeof unpackImage>> | undefined;
const image = join(folder, `trivet-${version}-image.tar`);
for (const architecture of ['amd64', 'arm64'] as const)
  await trying(`image, ${architecture}`, async () => {
    roots ??= await unpackImage(image, join(work, 'image'));
    return imageTrial(roots[architecture], architecture === 'amd64' ? 'linux-x64' : 'linux-arm64');
  });

await trying('examples/compose', async () => {
  if (roots === undefined) throw new CannotTry('the image was not unpacked');
  return composeTrial(roots.amd64, 'linux-x64', work);
});

const muslRoots = { x64: options['musl-x64'], arm64: options['musl-arm64'] };
const place = { folder, work, version, imageRoot: (of: 'amd64' | 'arm64') => roots?.[of], muslRoots };
for (const target of targets) await trying(target.name, () => archiveTrial(target, place));

for (const architecture of ['amd64', 'arm64'])
  await trying(`Debian package, ${architecture}`, async () => {
    const file = join(folder, `trivet_${debianVersion(version)}_${architecture}.deb`);
    const own = architecture === (process.arch === 'x64' ? 'amd64' : 'arm64');
    return own ? debianTrial(file, work, cache) : debianLook(file, architecture);
  });

await trying('formula of Homebrew', async () => {
  const formula = join(folder, 'trivet.rb');
  if (!existsSync(formula)) throw new CannotTry('the release was made without --url, so it has none');
  requirePrograms({ ruby: 'ruby' });
  await run(['ruby', '-c', formula]);
  return new NotRun('no Homebrew here. It is Ruby');
});

const count = (outcome: Trial['outcome']) => trials.filter((trial) => trial.outcome === outcome).length;
say(
  `\n${count('works')} work, ${count('not run')} not run, ${count('not tried')} not tried, ${count('FAILS')} fail`,
);
process.exitCode = count('FAILS') === 0 ? 0 : 1;
