import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzip, tarOf, zipOf } from './archive.ts';
import { bundleOf } from './bundle.ts';
import { checksumFile, sha256Of, signChecksums, writeChecksums } from './checksum.ts';
import { say } from './command.ts';
import { debianEntries, debianVersion, writeDebianPackage } from './debian.ts';
import { root } from './checkout.ts';
import { buildExecutable, type Metafile } from './executable.ts';
import { formulaText, type FormulaArchive } from './homebrew.ts';
import { baseEntries, foldersOf, imageBases } from './image-root.ts';
import { imageLayout } from './image.ts';
import { licencesOf, licencesText } from './licence.ts';
import { readLockfile } from './lockfile.ts';
import { signatureFault, signedAdHoc } from './mach-signature.ts';
import { runtimeFor } from './runtime.ts';
import { sbomOf } from './sbom.ts';
import { sdkArchive, sdkArchiveName } from './sdk/sdk-package.ts';
import { sourceOf } from './source.ts';
import { executableName, targets, type Target } from './target.ts';

/*
 * `npm run release`: creates everything that users receive, in dist/release. docs/releases.md describes it; docs/decisions/releases.md
 * gives the reasons.
 */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    'without-packages': { type: 'boolean', default: false },
    'allow-changes': { type: 'boolean', default: false },
    url: { type: 'string' },
    maintainer: { type: 'string', default: 'the Trivet authors <trivet@localhost>' },
  },
});

const names = options.only?.split(',') ?? targets.map(({ name }) => name);
const chosen = targets.filter(({ name }) => names.includes(name));
if (chosen.length !== names.length)
  throw new Error(`--only takes names of ${targets.map(({ name }) => name).join(', ')}.`);

// File modes in the packages must not depend on the user who packs them.
process.umask(0o022);
const source = await sourceOf(options['allow-changes']);
const lockfile = await readLockfile();
const folder = join(root, 'dist', 'release');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'trivet-release-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));
const leftOut: string[] = [];

const write = async (name: string, content: Uint8Array | string) => {
  await Bun.write(join(folder, name), content);
  say(`  ${name}`);
};

/** Whether a program is installed; if not, the end of the output names the artefacts that cannot be made. */
function hasProgram(program: string, packageName: string, without: string): boolean {
  if (Bun.which(program)) return true;
  leftOut.push(`${without}: ${program} is missing (Debian: apt-get install ${packageName})`);
  return false;
}

say(`Trivet ${source.version} of ${source.commit}`);
const metafiles: Metafile[] = [];
const executables = new Map<Target, Uint8Array>();
for (const target of chosen) {
  const runtime = await runtimeFor(target, lockfile, work);
  const outfile = join(work, target.name, executableName(target));
  const { name, compile } = target;
  metafiles.push(
    await buildExecutable({ outfile, commit: source.commit, release: { name, compile, runtime } }),
  );
  rmSync(runtime);
  let bytes: Uint8Array = await Bun.file(outfile).bytes();
  if (name.startsWith('darwin-') && signatureFault(bytes) !== null) {
    say(`  ${name}: signed again, ${signatureFault(bytes)}`);
    bytes = signedAdHoc(bytes, 'trivet');
  }
  executables.set(target, bytes);
  say(`  ${name}: built`);
}

const bundle = bundleOf(metafiles);
const licences = await licencesText(await licencesOf(bundle, lockfile));
const encoded = (content: string) => new TextEncoder().encode(content);
const documents = [
  { path: 'LICENSE', bytes: await Bun.file(join(root, 'LICENSE')).bytes(), mode: 0o644 },
  { path: 'README.md', bytes: await Bun.file(join(root, 'README.md')).bytes(), mode: 0o644 },
  { path: 'THIRD-PARTY-LICENSES.txt', bytes: encoded(licences), mode: 0o644 },
];

const archives: FormulaArchive[] = [];
for (const [target, bytes] of executables) {
  const prefix = `trivet-${source.version}-${target.name}`;
  const file = `${prefix}.${target.archive}`;
  const entries = [{ path: executableName(target), bytes, mode: 0o755 }, ...documents].map((entry) => ({
    ...entry,
    path: `${prefix}/${entry.path}`,
  }));
  const archive =
    target.archive === 'zip' ? zipOf(entries, source.time) : gzip(await tarOf(entries, source.time));
  await write(file, archive);
  archives.push({ target: target.name, file, sha256: sha256Of(archive) });
}

await write(sdkArchiveName(source.version), await sdkArchive(source.time));

const debianTargets = [...executables].flatMap(([{ debian }, bytes]) => (debian ? [{ debian, bytes }] : []));
const withPackages = !options['without-packages'] && debianTargets.length > 0;
if (withPackages && hasProgram('dpkg-deb', 'dpkg', 'the Debian packages')) {
  const copyright = `${await Bun.file(join(root, 'LICENSE')).text()}\n${licences}`;
  for (const { debian: architecture, bytes } of debianTargets) {
    const about = { version: source.version, architecture, maintainer: options.maintainer };
    const file = `trivet_${debianVersion(source.version)}_${architecture}.deb`;
    await writeDebianPackage(join(folder, file), await debianEntries(about, bytes, copyright), source);
    say(`  ${file}`);
  }
}

const withImage =
  withPackages && hasProgram('dpkg-deb', 'dpkg', 'the image') && hasProgram('apt-get', 'apt', 'the image');
if (withImage) {
  const imageDocuments = documents
    .filter(({ path }) => path !== 'README.md')
    .map((entry) => ({ ...entry, path: `usr/share/doc/trivet/${entry.path}` }));
  const platforms = await Promise.all(
    debianTargets.map(async ({ debian: architecture, bytes }) => ({
      architecture,
      layers: [
        {
          what: `libc6 ${imageBases[architecture].version} of Debian`,
          entries: await baseEntries(imageBases[architecture]),
        },
        {
          what: `trivet ${source.version}`,
          entries: [{ path: 'trivet', bytes, mode: 0o755 }, ...foldersOf(imageDocuments), ...imageDocuments],
        },
      ],
    })),
  );
  await write(
    `trivet-${source.version}-image.tar`,
    await tarOf(await imageLayout(source, platforms), source.time),
  );
}

const inImage = withImage ? debianTargets.map(({ debian }) => imageBases[debian]) : [];
await write(`trivet-${source.version}.cdx.json`, sbomOf(source, bundle, lockfile, chosen, inImage));
await write('THIRD-PARTY-LICENSES.txt', licences);
if (options.url === undefined)
  leftOut.push('the formula of Homebrew: give --url, below which the files will be');
else if (options.only !== undefined) leftOut.push('the formula of Homebrew: --only leaves out platforms');
else await write('trivet.rb', formulaText(source, archives, options.url));

await writeChecksums(folder);
const key = process.env['RELEASE_MINISIGN_KEY'];
if (key === undefined) leftOut.push(`the signature of ${checksumFile}: RELEASE_MINISIGN_KEY names no key`);
else if (hasProgram('minisign', 'minisign', `the signature of ${checksumFile}`))
  await signChecksums(folder, source, { key, password: process.env['RELEASE_MINISIGN_PASSWORD'] });

say(`\n${folder}`);
for (const name of readdirSync(folder).toSorted())
  say(`  ${(statSync(join(folder, name)).size / 1e6).toFixed(1).padStart(7)} MB  ${name}`);
for (const part of leftOut) say(`Left out: ${part}`);
