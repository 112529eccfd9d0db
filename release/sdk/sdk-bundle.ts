import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import { root } from '../checkout.ts';
import type { SdkEntry } from './sdk-entry.ts';

interface BundleForm {
  readonly format: 'esm' | 'cjs';
  readonly minify: boolean;
}

/** ES2017: what every browser since 2018 runs, and what the tools of React Native take without a plugin. */
export const bundleSettings = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  target: 'es2017',
  external: ['react', 'react/jsx-runtime'],
  jsx: 'automatic',
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** An entry of the SDK as one file without imports, but for React. */
export async function bundledEntry(
  { source, values, directive = '' }: Pick<SdkEntry, 'source' | 'values' | 'directive'>,
  { format, minify }: BundleForm,
): Promise<Uint8Array<ArrayBuffer>> {
  const { outputFiles } = await build({
    ...bundleSettings,
    stdin: { contents: `export { ${values.join(', ')} } from './${source}';`, resolveDir: root },
    banner: { js: directive },
    format,
    minify,
    // For CJS, Node's own importer finds the names of exports only in the form that esbuild writes for Node.
    platform: format === 'cjs' ? 'node' : 'neutral',
  });
  const [file] = outputFiles;
  if (!file || outputFiles.length > 1) throw new Error(`${source}: not one bundle`);
  return new Uint8Array(file.contents);
}

/** Bytes on the wire of a page that bundles the entry. */
export async function compressedSize(entry: SdkEntry): Promise<number> {
  return gzipSync(await bundledEntry(entry, { format: 'esm', minify: true }), { level: 9 }).length;
}

/** @throws Error that names each entry above its budget. */
export function requireBudget(sizes: ReadonlyArray<readonly [SdkEntry, number]>): void {
  const above = sizes.flatMap(([{ subpath, budget = Infinity }, size]) =>
    size > budget ? [`${subpath} has ${size} bytes, and its budget is ${budget}`] : [],
  );
  if (above.length > 0)
    throw new Error(
      `The app SDK is too large (minified, gzip -9): ${above.join('; ')}. ` +
        'Find what grew with npm run bench:sdk, or change the budget in release/sdk/sdk-entry.ts and say why.',
    );
}
