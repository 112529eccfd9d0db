import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { run } from '../../release/command.ts';
import { root } from '../imports.ts';
import { temporaryDirectory } from '../temporary.ts';
import type { CaseResult } from './case-runner.ts';
import { sdkEntries } from '../../release/sdk/sdk-entry.ts';
import { cases, expectAsPublished, runnerScript, sdkScript } from './runner-script.ts';

/*
 * The built SDK in the engines of apps, with the published cases. Chromium: test/console/app-sdk.test.ts. Hermes gets what Metro makes of a
 * package: transformed by the preset of React Native, without which its version 0.12 refuses block scoping and classes.
 *
 * Mutation note: seen to fail with `new TextEncoder()` at load and, in Hermes, with `list.at(-1)` in a rule.
 */
setDefaultTimeout(120_000);

const folder = temporaryDirectory('sdk-engines');

/** What the SDK must not need when it is loaded: Hermes 0.12 lacks them. */
const missing = [
  'TextEncoder',
  'TextDecoder',
  'URL',
  'URLSearchParams',
  'crypto',
  'structuredClone',
  'EventTarget',
  'Event',
  'BroadcastChannel',
  'navigator',
  'localStorage',
  'performance',
  'queueMicrotask',
  'WeakRef',
  'Intl',
  'document',
  'window',
  'fetch',
  'AbortController',
];
const missingMethods = [
  'Array.prototype.at',
  'Promise.allSettled',
  'Array.prototype.toSorted',
  'String.prototype.at',
];

const ends = (print: string) => `
runner.playCases(sdk.createTrivet, ${JSON.stringify(cases)}).then(
  function (results) { ${print}('RESULTS' + JSON.stringify(results)); },
  function (error) { ${print}('FAILED ' + error + ' ' + error.stack); },
);`;

function resultsOf(output: string): readonly CaseResult[] {
  const line = output.split('\n').find((one) => one.startsWith('RESULTS'));
  if (line === undefined) throw new Error(output.slice(0, 3_000));
  return JSON.parse(line.slice('RESULTS'.length)) as readonly CaseResult[];
}

async function outputOf(...command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return `${out}\n${err}`;
}

test.each([
  ['Node', 'node'],
  ['Bun', process.execPath],
])('%s plays the cases, and the SDK is loaded without what other engines lack', async (name, runtime) => {
  const file = `${name}.cjs`;
  const without = `
const taken = {};
for (const name of ${JSON.stringify(missing)}) {
  taken[name] = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error('touched ' + name); } });
}
const methods = [[Array.prototype, 'at'], [Promise, 'allSettled'], [Array.prototype, 'toSorted'], [String.prototype, 'at']].map(
  ([of, name]) => { const was = Object.getOwnPropertyDescriptor(of, name); delete of[name]; return [of, name, was]; });
`;
  const back = `
for (const [name, was] of Object.entries(taken)) { delete globalThis[name]; if (was) Object.defineProperty(globalThis, name, was); }
for (const [of, name, was] of methods) if (was) Object.defineProperty(of, name, was);
`;
  await Bun.write(
    join(folder, file),
    `${without}${await sdkScript()}${back}${await runnerScript()}${ends('console.log')}`,
  );
  expectAsPublished(resultsOf(await outputOf(runtime, file)));
});

const platforms: Readonly<Record<string, string>> = {
  linux: 'linux64-bin',
  darwin: 'osx-bin',
  win32: 'win64-bin',
};
const hermes = join(root, 'node_modules', 'hermes-engine-cli', platforms[process.platform] ?? '', 'hermes');

// Its npm package has no executable for Linux on arm64.
const hasHermes = process.platform !== 'linux' || process.arch === 'x64';

/**
 * As Metro transforms a file, of node_modules too; by Node, because Babel changes how the errors of a whole process make their stacks.
 */
async function transformed(code: string, profile: string): Promise<string> {
  const source = join(folder, `${profile}-${Bun.hash(code)}.cjs`);
  await Bun.write(source, code);
  await run(['node', join(import.meta.dir, 'metro-transform.mjs'), source, profile], { cwd: root });
  return Bun.file(`${source}.out`).text();
}

/** What React Native provides and the command of Hermes does not; defined after the SDK was loaded. */
const reactNative = `
var timers = 0;
// Only the timeout of a request, which no case reaches.
var setTimeout = function () { timers += 1; return timers; };
var clearTimeout = function () {};
function Response(body, init) { this.status = (init && init.status) || 200; this.ok = this.status < 300; this.body = body; this.headers = { get: function () { return null; } }; }
Response.prototype.text = function () { var body = this.body; return Promise.resolve(body); };
Response.prototype.json = function () { var body = this.body; return Promise.resolve(JSON.parse(body)); };
function Headers(given) { this.given = given || {}; }
Headers.prototype.get = function (name) { var given = this.given; for (var key in given) if (key.toLowerCase() === name) return given[key]; return null; };
`;

test.skipIf(!hasHermes).each(['default', 'hermes-stable'])(
  'Hermes 0.12 plays the cases (profile %s)',
  async (profile) => {
    const absent = `
${JSON.stringify(missing.filter((name) => !['Intl', 'WeakRef'].includes(name)))}.forEach(function (name) {
  if (typeof globalThis[name] !== 'undefined') print('HAS ' + name);
});
${JSON.stringify(missingMethods)}.forEach(function (path) {
  if (path.split('.').reduce(function (of, name) { return of && of[name]; }, globalThis)) print('HAS ' + path);
});
delete globalThis.Intl; delete globalThis.WeakRef;
`;
    const file = `hermes-${profile}.js`;
    const parts = await Promise.all(
      [await sdkScript(), await runnerScript()].map((code) => transformed(code, profile)),
    );
    await Bun.write(join(folder, file), [absent, parts[0], reactNative, parts[1], ends('print')].join('\n'));
    const output = await outputOf(hermes, '-w', file);
    expect(output.split('\n').filter((line) => line.startsWith('HAS'))).toEqual([]);
    expectAsPublished(resultsOf(output));
  },
);

test.skipIf(!hasHermes)('Hermes 0.12 loads every entry that apps of React Native import', async () => {
  const entries = sdkEntries.filter(({ name }) => name !== 'node');
  const scripts = await Promise.all(
    entries.map(async (entry) => transformed(await sdkScript(entry), 'default')),
  );
  const file = 'entries.js';
  // React is the app's own.
  const react = 'var require = function () { return { createContext: function () { return {}; } }; };';
  const printed = scripts.map((script) => `${script}\nprint(Object.keys(sdk).sort().join());`);
  await Bun.write(join(folder, file), [react, ...printed].join('\n'));
  const output = await outputOf(hermes, '-w', file);
  expect(output.trim().split('\n')).toEqual(entries.map(({ values }) => values.join()));
});
