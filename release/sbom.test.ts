import { expect, test } from 'bun:test';
import { bundleOf } from './bundle.ts';
import { buildAssets } from '../modules/console/assets/asset-build.ts';
import type { Metafile } from './executable.ts';
import { licencesOf, licencesText } from './licence.ts';
import { readLockfile, type Lockfile } from './lockfile.ts';
import { sbomOf } from './sbom.ts';
import { targets } from './target.ts';

/*
 * From the bundler's output to the list of contents, and to the licences. The whole list of a release was checked with the validator of the
 * CycloneDX project (docs/releases.md).
 *
 * Mutation note: seen to fail when files without bytes count, when an import of a package that is not inside counts, when the order of the
 * metafile decides, and when a package without a licence text is passed over.
 */
const input = (...paths: string[]) => ({ imports: paths.map((path) => ({ path })) });
const metafile: Metafile = {
  inputs: {
    'modules/main.ts': input('node_modules/jose/index.js', 'node_modules/unused/index.js', 'bun:sqlite'),
    'node_modules/jose/index.js': input('node_modules/jose/other.js', 'node_modules/@a/b/x.js'),
    'node_modules/jose/other.js': input('node_modules/jose/node_modules/@a/b/x.js'),
    'node_modules/@a/b/x.js': input(),
    'node_modules/jose/node_modules/@a/b/x.js': input(),
    'node_modules/unused/index.js': input('node_modules/jose/index.js'),
  },
  outputs: {
    './main.js': {
      inputs: {
        'modules/main.ts': { bytesInOutput: 10 },
        'node_modules/jose/index.js': { bytesInOutput: 1 },
        'node_modules/jose/other.js': { bytesInOutput: 1 },
        'node_modules/unused/index.js': { bytesInOutput: 0 },
      },
    },
    './chunk.js': {
      inputs: {
        'node_modules/jose/node_modules/@a/b/x.js': { bytesInOutput: 5 },
        'node_modules/@a/b/x.js': { bytesInOutput: 5 },
      },
    },
    './chunk.js.map': {},
  },
};

const integrity = `sha512-${Buffer.from('x'.repeat(64)).toString('base64')}`;
const lockfile: Lockfile = {
  'node_modules/jose': { version: '6.2.17', integrity, license: 'MIT' },
  'node_modules/@a/b': { version: '2.0.0', integrity, license: 'ISC' },
  'node_modules/jose/node_modules/@a/b': { version: '1.0.0', integrity, license: 'ISC' },
  'node_modules/@oven/bun-linux-x64': { version: '1.4.5', integrity, license: 'MIT' },
};
const source = { version: '1.2.3', commit: 'abc', time: new Date(0) };

test('a package is inside if bytes of its files are, each path by itself', () => {
  expect(bundleOf([metafile])).toEqual({
    imports: ['node_modules/jose'],
    packages: [
      { path: 'node_modules/@a/b', name: '@a/b', imports: [] },
      {
        path: 'node_modules/jose',
        name: 'jose',
        imports: ['node_modules/@a/b', 'node_modules/jose/node_modules/@a/b'],
      },
      { path: 'node_modules/jose/node_modules/@a/b', name: '@a/b', imports: [] },
    ],
    files: [
      'node_modules/@a/b/x.js',
      'node_modules/jose/index.js',
      'node_modules/jose/node_modules/@a/b/x.js',
      'node_modules/jose/other.js',
    ],
  });
});

const sbom = (metafiles: readonly Metafile[]) =>
  sbomOf(source, bundleOf(metafiles), lockfile, targets.slice(0, 1), [
    { name: 'libc6', version: '2.36-9+deb12u14', architecture: 'amd64', sha256: 'f'.repeat(64) },
  ]);

test('the list names each package with its version, hash and licence, the runtime and what the image adds', () => {
  const list = JSON.parse(sbom([metafile])) as {
    components: ReadonlyArray<{ purl: string; hashes: ReadonlyArray<{ content: string }> }>;
    dependencies: ReadonlyArray<{ ref: string; dependsOn: readonly string[] }>;
    serialNumber: string;
  };
  expect(list.components.map(({ purl }) => purl)).toEqual([
    'pkg:npm/%40a/b@2.0.0',
    'pkg:npm/jose@6.2.17',
    'pkg:npm/%40a/b@1.0.0',
    'pkg:npm/trivet-sdk@1.2.3',
    'pkg:npm/%40oven/bun-linux-x64@1.4.5',
    'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
  ]);
  expect(list.components[0]?.hashes[0]?.content).toBe('78'.repeat(64));
  expect(list.dependencies.slice(0, 3)).toEqual([
    {
      ref: 'pkg:generic/trivet@1.2.3',
      dependsOn: [
        'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
        'pkg:npm/%40oven/bun-linux-x64@1.4.5',
        'pkg:npm/jose@6.2.17',
        'pkg:npm/trivet-sdk@1.2.3',
      ],
    },
    { ref: 'pkg:npm/%40a/b@2.0.0', dependsOn: [] },
    { ref: 'pkg:npm/jose@6.2.17', dependsOn: ['pkg:npm/%40a/b@1.0.0', 'pkg:npm/%40a/b@2.0.0'] },
  ]);
  expect(list.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('the order in which the bundler met the files makes no difference', () => {
  const turned = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).toReversed());
  const other = { inputs: turned(metafile.inputs), outputs: turned(metafile.outputs) };
  expect(sbom([other, metafile])).toBe(sbom([metafile]));
});

test('a package that the lockfile does not know is no part of a release', () => {
  const strange: Metafile = {
    inputs: {},
    outputs: { './x.js': { inputs: { 'node_modules/strange/x.js': { bytesInOutput: 1 } } } },
  };
  expect(() => sbom([strange])).toThrow(/no integrity for node_modules\/strange/);
});

const inside = (...files: string[]) =>
  bundleOf([
    {
      inputs: {},
      outputs: { x: { inputs: Object.fromEntries(files.map((file) => [file, { bytesInOutput: 1 }])) } },
    },
  ]);

test('each licence stands in the text: its own, one from elsewhere, that of a typeface, and the note of Bun', async () => {
  const files = ['jose/x.js', 'saxes/x.js', 'drizzle-orm/x.js', 'pdfmake/build/vfs_fonts.js'];
  const bundle = inside(...files.map((file) => `node_modules/${file}`));
  const text = await licencesText(await licencesOf(bundle, await readLockfile()));
  for (const words of [
    /^jose 6\.\d+\.\d+\n\nLicence: MIT\n\nThe MIT License/m,
    /Copyright \(c\) \d{4} Filip Skokan/,
    /^saxes 6[\s\S]*Isaac Z\. Schlueter and Contributors[\s\S]*Mathias Bynens/m,
    /^drizzle-orm 0[\s\S]*Apache License\s+Version 2\.0/m,
    /^Roboto 3\.014\n\nLicence: OFL-1\.1\n\nCopyright 2011 The Roboto Project Authors/m,
    /^Bun 1\.4\.5\n[\s\S]*JavaScriptCore[\s\S]*LGPL-2/m,
  ])
    expect(text).toMatch(words);
});

test('what the console contains has its licences, too: its libraries, icons and typeface', async () => {
  const { metafile } = await buildAssets();
  const text = await licencesText(await licencesOf(bundleOf([metafile]), await readLockfile()));
  for (const words of [
    /^react 19\./m,
    /^react-aria-components 1\./m,
    /^lucide-react 1\.[\s\S]*Licence: ISC/m,
    /^wouter 3\.[\s\S]*unencumbered software/m,
    /^@fontsource-variable\/inter 5\.[\s\S]*Licence: OFL-1\.1[\s\S]*The Inter Project Authors/m,
  ])
    expect(text).toMatch(words);
});

test('a package without a licence text fails the release', async () => {
  // It has no licence file, and release/licence.ts does not know it.
  const bundle = inside('node_modules/bun-types/x.js');
  await expect(licencesOf(bundle, await readLockfile())).rejects.toThrow(
    /No licence text: bun-types 1\.4\.5/,
  );
});
