import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { run } from '../release/command.ts';
import { bundledEntry, bundleSettings } from '../release/sdk/sdk-bundle.ts';
import { sdkEntries } from '../release/sdk/sdk-entry.ts';

/*
 * The bytes that the app SDK adds to an app, and those that others add: `npm run bench:sdk`. Minified for ES2017, gzip -9, the same
 * settings for all. The others are installed into a temporary folder: as dependencies of the project they would be 100 MB. Without a
 * network, `-- --ours` prints ours with the files that make it up.
 */
interface Other {
  readonly title: string;
  readonly install: string;
  /** What an app of it imports, as its own documentation begins. */
  readonly code: string;
}

const uses = (names: string, from: string) =>
  `import { ${names} } from '${from}'; globalThis.used = [${names}];`;
const others: readonly Other[] = [
  {
    title: 'OpenFeature web, without a provider',
    install: '@openfeature/web-sdk@1',
    code: uses('OpenFeature', '@openfeature/web-sdk'),
  },
  {
    title: 'PocketBase',
    install: 'pocketbase@0.26',
    code: `import PocketBase from 'pocketbase'; globalThis.used = PocketBase;`,
  },
  {
    title: 'GrowthBook',
    install: '@growthbook/growthbook@1',
    code: uses('GrowthBook', '@growthbook/growthbook'),
  },
  { title: 'Supabase auth', install: '@supabase/auth-js@2', code: uses('AuthClient', '@supabase/auth-js') },
  { title: 'Statsig', install: '@statsig/js-client@3', code: uses('StatsigClient', '@statsig/js-client') },
  {
    title: 'Braze with messages',
    install: '@braze/web-sdk@6',
    code: uses(
      'initialize, openSession, changeUser, logCustomEvent, automaticallyShowInAppMessages',
      '@braze/web-sdk',
    ),
  },
  {
    title: 'PostHog',
    install: 'posthog-js@1',
    code: `import posthog from 'posthog-js'; globalThis.used = posthog;`,
  },
];

const line = (title: string, minified: number, compressed: number, note = '') =>
  `${title.padEnd(44)} ${(minified / 1000).toFixed(1).padStart(8)} ${(compressed / 1000).toFixed(2).padStart(8)}  ${note}`.trimEnd();
const print = (text: string) => void process.stdout.write(`${text}\n`);
const compressed = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length;

/** The largest files of the whole of the SDK, minified. */
async function largestFiles(): Promise<void> {
  const [whole] = sdkEntries;
  if (!whole) return;
  const { metafile } = await build({
    ...bundleSettings,
    entryPoints: [whole.source],
    format: 'esm',
    minify: true,
    metafile: true,
    outdir: 'out',
  });
  const [output] = Object.values(metafile.outputs);
  const files = Object.entries(output?.inputs ?? {}).toSorted(
    ([, a], [, b]) => b.bytesInOutput - a.bytesInOutput,
  );
  for (const [file, { bytesInOutput }] of files.slice(0, 15))
    print(`  ${(bytesInOutput / 1000).toFixed(1).padStart(6)} kB  ${file}`);
}

async function bundleOfOther({ install, code }: Other, folder: string): Promise<Uint8Array> {
  await run([
    'npm',
    'install',
    '--silent',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    install,
  ]);
  const { outputFiles } = await build({
    ...bundleSettings,
    absWorkingDir: folder,
    stdin: { contents: code, resolveDir: folder },
    format: 'esm',
    minify: true,
    platform: 'browser',
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

print(`${''.padEnd(44)} ${'minified'.padStart(8)} ${'gzip -9'.padStart(8)}  kB`);
for (const entry of sdkEntries) {
  const bytes = await bundledEntry(entry, { format: 'esm', minify: true });
  const { budget, aim } = entry;
  const note =
    budget === undefined ? '' : `at most ${budget / 1000}${aim === undefined ? '' : `, aim ${aim / 1000}`}`;
  print(line(`trivet-sdk${entry.subpath.slice(1)}`, bytes.length, compressed(bytes), note));
}
if (process.argv.includes('--ours')) await largestFiles();
else {
  const folder = mkdtempSync(join(tmpdir(), 'trivet-sdk-others-'));
  try {
    for (const other of others) {
      const bytes = await bundleOfOther(other, folder).catch((error: Error) => error);
      if (bytes instanceof Error) print(`${other.title}: ${bytes.message.split('\n')[0]}`);
      else {
        const about = (await Bun.file(
          join(folder, 'node_modules', other.install.replace(/(?<=.)@.*/, ''), 'package.json'),
        ).json()) as { readonly version: string };
        print(line(other.title, bytes.length, compressed(bytes), about.version));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
