import { Glob } from 'bun';
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { version } from '../../core/base/version.ts';
import { temporaryDirectory } from '../../test/temporary.ts';
import { root } from '../checkout.ts';
import { run } from '../command.ts';
import { compressedSize, requireBudget } from './sdk-bundle.ts';
import { sdkEntries } from './sdk-entry.ts';
import { sdkArchive } from './sdk-package.ts';
import { integrityOf, pageScript } from './served-files.ts';

/*
 * The package as users get it: unpacked from the archive of a release, and used by programs that know nothing of this checkout.
 *
 * Mutation note: seen to fail with an extension of TypeScript in a declaration, without the declarations for `require`, with declarations
 * that re-export a file that is missing, and with a public type that needs a package.
 */
setDefaultTimeout(120_000);

const time = new Date('2026-11-23T00:00:00Z');
const folder = temporaryDirectory('sdk-package');
const installed = join(folder, 'node_modules', 'trivet-sdk');
const archive = join(folder, 'trivet-sdk.tgz');
const tool = (name: string) => join(root, 'node_modules', '.bin', name);

beforeAll(async () => {
  await Bun.write(archive, await sdkArchive(time));
  await run(['tar', '-xzf', 'trivet-sdk.tgz'], { cwd: folder });
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  await run(['mv', 'package', installed], { cwd: folder });
  for (const name of ['react', 'react-dom', '@types/react', '@types/node', 'csstype', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
});

test('made twice, it is the same', async () => {
  expect(new Bun.CryptoHasher('sha256').update(await sdkArchive(time)).digest('hex')).toBe(
    new Bun.CryptoHasher('sha256').update(await Bun.file(archive).bytes()).digest('hex'),
  );
});

test('it has the version of the server, no dependency, and all that "exports" names', async () => {
  const about = (await Bun.file(join(installed, 'package.json')).json()) as Record<string, object>;
  expect(about).toMatchObject({ name: 'trivet-sdk', version, sideEffects: false, license: 'MIT' });
  expect(about['dependencies']).toBeUndefined();
  expect(Object.keys(about['exports'] ?? {})).toEqual([
    ...sdkEntries.map(({ subpath }) => subpath),
    './package.json',
  ]);
  const named = JSON.stringify(about['exports']).match(/\.\/dist\/[^"]+/g) ?? [];
  expect(named.length).toBe(4 * sdkEntries.length);
  for (const path of named)
    expect([path, await Bun.file(join(installed, path)).exists()]).toEqual([path, true]);
});

test('the file for pages is the one that a server answers', async () => {
  const page = await Bun.file(join(installed, 'dist', 'trivet.min.js')).bytes();
  expect(integrityOf(page)).toBe(integrityOf(await pageScript()));
});

test('a declaration imports what compilers of any version find: the code of its own kind', async () => {
  const declarations = [...new Glob('dist/**/*.d.{ts,cts}').scanSync(installed)];
  expect(declarations.length).toBeGreaterThan(40);
  for (const path of declarations) {
    const named = (await Bun.file(join(installed, path)).text()).match(/(?<=from ['"]\.)[^'"]+/g) ?? [];
    const extension = path.endsWith('.cts') ? '.cjs' : '.js';
    expect([path, named.filter((name) => !name.endsWith(extension))]).toEqual([path, []]);
  }
});

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  expect(messages).toEqual([]);
});

test('every resolution of TypeScript finds the types of the code that it runs', async () => {
  const answer = await run([tool('attw'), archive, '--format', 'json', '--no-color']).catch(String);
  const { analysis, problems } = JSON.parse(answer) as { analysis?: object; problems?: object };
  expect(analysis).toBeDefined();
  expect(problems ?? {}).toEqual({});
});

const exported: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  sdkEntries.map(({ subpath, values }) => [subpath, values]),
);
const specifierOf = (subpath: string) => `trivet-sdk${subpath.slice(1)}`;

describe.each(['node', process.execPath])('%s', (runtime) => {
  test('imports and requires each entry, which touches nothing', async () => {
    const list = JSON.stringify(sdkEntries.map(({ subpath }) => specifierOf(subpath)));
    // A trap instead of each global that is missing somewhere: whoever touches it at load throws.
    const traps = `for (const name of ['localStorage', 'navigator', 'document', 'window', 'crypto', 'performance', 'fetch', 'BroadcastChannel', 'structuredClone', 'TextEncoder', 'TextDecoder', 'URL', 'EventTarget', 'queueMicrotask', 'WeakRef', 'Intl', 'AbortController', 'setTimeout'])
      Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error('touched ' + name); } });`;
    await Bun.write(
      join(folder, 'esm.mjs'),
      `import 'react'; import 'react/jsx-runtime';
      ${traps}
      const found = {};
      for (const name of ${list}) found[name] = Object.keys(await import(name)).sort();
      console.log(JSON.stringify(found));`,
    );
    await Bun.write(
      join(folder, 'cjs.cjs'),
      `require('react'); require('react/jsx-runtime');
      ${traps}
      const found = {};
      for (const name of ${list}) found[name] = Object.keys(require(name)).sort();
      console.log(JSON.stringify(found));`,
    );
    const expected = Object.fromEntries(
      Object.entries(exported).map(([subpath, names]) => [specifierOf(subpath), names]),
    );
    for (const file of ['esm.mjs', 'cjs.cjs'])
      expect([file, JSON.parse(await run([runtime, file], { cwd: folder })) as object]).toEqual([
        file,
        expected,
      ]);
  });
});

const imports = Object.entries(exported)
  .map(
    ([subpath, names], at) =>
      `import { ${names.map((name) => `${name} as ${name}${at}`).join(', ')} } from '${specifierOf(subpath)}';\nvoid [${names.map((name) => `${name}${at}`).join(', ')}];`,
  )
  .join('\n');
const program = `${imports}
import { createTrivet, type Trivet, type Outcome, type Session } from 'trivet-sdk';
const trivet: Trivet = createTrivet({ url: 'https://trivet.example', app: { version: '1.0.0' } });
const outcomes: readonly Outcome[] = trivet.cta.track('home', { tab: 1 });
const session: Session | null = trivet.auth.session();
for (const outcome of outcomes) if (outcome.kind === 'action') console.log(outcome.action.type, session);
// @ts-expect-error the types are not any
createTrivet({ address: 1 });
`;

const consumers: ReadonlyArray<readonly [string, string, object]> = [
  ['ESM in Node', 'esm.mts', { module: 'nodenext', lib: ['es2022', 'dom'], types: [] }],
  ['CJS in Node', 'cjs.cts', { module: 'nodenext', lib: ['es2022', 'dom'], types: [] }],
  [
    'a bundler',
    'bundled.ts',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2017', 'dom'], types: [] },
  ],
  ['a backend without DOM', 'backend.mts', { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
];

test.each(consumers)(
  'a program compiles against the declarations themselves: %s',
  async (...[, file, options]) => {
    const place = join(folder, file.replace('.', '-'));
    mkdirSync(place, { recursive: true });
    await Bun.write(join(place, file), program);
    await Bun.write(
      join(place, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          exactOptionalPropertyTypes: true,
          jsx: 'react-jsx',
          ...options,
        },
        files: [file],
      }),
    );
    // Complaints about other packages (React's own types in strange settings) are not ours.
    const said = await run([tool('tsc'), '-p', place], { cwd: place }).catch((error: Error) => error.message);
    const ours = said.split('\n').filter((line) => line.includes('trivet-sdk') || line.startsWith(file));
    expect(ours).toEqual([]);
  },
);

describe('sizes', () => {
  const recordFile = join(import.meta.dir, 'sdk-sizes.json');
  const tolerance = 1.02;

  test('no entry grew by more than 2 % since its size was recorded', async () => {
    const sizes = Object.fromEntries(
      await Promise.all(
        sdkEntries.map(async (entry) => [entry.subpath, await compressedSize(entry)] as const),
      ),
    );
    if (process.env['TRIVET_WRITE_SDK_SIZES'] === '1')
      await Bun.write(recordFile, `${JSON.stringify(sizes, null, 2)}\n`);
    const recorded = (await Bun.file(recordFile).json()) as Readonly<Record<string, number>>;
    const grown = Object.entries(sizes).filter(
      ([subpath, size]) => !(size <= (recorded[subpath] ?? 0) * tolerance),
    );
    expect(
      grown.length === 0
        ? ''
        : `${grown.map(([subpath, size]) => `${subpath}: ${recorded[subpath]} → ${size} bytes`).join('\n')}\n` +
            '→ If the growth is worth it, record it: TRIVET_WRITE_SDK_SIZES=1 npm test -- release/sdk',
    ).toBe('');
  });

  test('above its budget the build fails and names the entry', () => {
    const [entry] = sdkEntries;
    if (!entry) throw new Error('no entry');
    expect(() => requireBudget([[entry, entry.budget ?? 0]])).not.toThrow();
    expect(() => requireBudget([[entry, (entry.budget ?? 0) + 1]])).toThrow(
      /\. has \d+ bytes, and its budget is \d+/,
    );
  });
});
