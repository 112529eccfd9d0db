import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { BunPlugin } from 'bun';

/*
 * The files that a browser loads for the console, built from modules/console/app. The build of the executable stores it in one file, which
 * becomes part of the executable; a server running from the sources builds it at the first visit.
 */

/** A file of the console. */
export interface Asset {
  /** e.g. `main-1a2b3c4d.js`; the name changes with the content. */
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface Assets {
  /** The page itself. */
  readonly page: string;
  readonly files: readonly Asset[];
}

const folder = join(import.meta.dir, '..', 'app');

const typeOf = (name: string): string =>
  name.endsWith('.js')
    ? 'text/javascript; charset=utf-8'
    : name.endsWith('.css')
      ? 'text/css; charset=utf-8'
      : name.endsWith('.svg')
        ? 'image/svg+xml'
        : 'application/octet-stream';

/** The entities of markdown-to-jsx: for browsers its own form uses `innerHTML`, which the policy of the page forbids. */
const ownEntities: BunPlugin = {
  name: 'entities without innerHTML',
  setup: ({ onResolve }) => {
    const own = join(folder, 'design', 'markdown-entity.ts');
    // Without the condition "browser", as this program itself resolves it: the table of all entities.
    const table = Bun.resolveSync('markdown-to-jsx/entities', folder);
    onResolve({ filter: /^markdown-to-jsx\/entities$/ }, ({ importer }) => ({
      path: importer === own ? table : own,
    }));
  },
};

/** @throws Error with the messages of the bundler. */
export async function buildAssets(): Promise<Assets> {
  const built = await Bun.build({
    entrypoints: [join(folder, 'root', 'main.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    plugins: [ownEntities],
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    publicPath: '/console/assets/',
  });
  const files = await Promise.all(
    built.outputs.map(async (output) => {
      const name = output.path.replace(/^.*\//, '');
      return {
        name,
        type: typeOf(name),
        bytes: new Uint8Array(await output.arrayBuffer()),
        kind: output.kind,
      };
    }),
  );
  const script = files.find(({ kind }) => kind === 'entry-point')?.name;
  // The bundler loads the script of a page when it is shown, but never its style: all styles together are a few kB.
  const isMain = (name: string) => name.startsWith('main-');
  const styles = files
    .flatMap(({ name }) => (name.endsWith('.css') ? [name] : []))
    .toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)) || a.localeCompare(b));
  if (script === undefined || !styles.some(isMain)) throw new Error('the console has no entry');
  const icon = new Uint8Array(await Bun.file(join(folder, 'icon.svg')).arrayBuffer());
  return {
    page: pageOf(script, styles),
    files: [
      ...files.map(({ name, type, bytes }) => ({ name, type, bytes })),
      { name: 'icon.svg', type: typeOf('icon.svg'), bytes: icon },
    ],
  };
}

/**
 * react-aria adds a style element of its own unless one with this id exists, and the policy of the page would block it. The rule stands
 * in app/design/base.css.
 */
const pageOf = (script: string, styles: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta id="react-aria-pressable-style">
<title>Trivet</title>
<link rel="icon" type="image/svg+xml" href="/console/assets/icon.svg">
${styles.map((style) => `<link rel="stylesheet" href="/console/assets/${style}">`).join('\n')}
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript. Every tool also works on the command line: trivet --help.</noscript>
</body>
</html>
`;

/** The offset and length of each file in a pack. */
export type Place = readonly [from: number, length: number];

/** The beginning of a pack, as JSON. */
export interface PackIndex {
  readonly page: string;
  readonly files: Readonly<
    Record<string, { readonly type: string; readonly plain: Place; readonly br: Place; readonly gzip: Place }>
  >;
}

/**
 * Stores the files as one pack, each also compressed: a server then compresses nothing. One file, because the executable reads the list
 * of its files at each start: a hundred more made `--version` a fifth slower (measured).
 */
export async function storeAssets(file: string): Promise<void> {
  const { page, files } = await buildAssets();
  const parts: Uint8Array[] = [];
  let length = 0;
  const place = (bytes: Uint8Array): Place => {
    parts.push(bytes);
    length += bytes.byteLength;
    return [length - bytes.byteLength, bytes.byteLength];
  };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  // The bundler returns them in any order, but two builds must be identical.
  const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const stored = inOrder.map(({ name, type, bytes }) => {
    const places = {
      plain: place(bytes),
      br: place(brotliCompressSync(bytes, quality)),
      gzip: place(gzipSync(bytes, { level: 9 })),
    };
    return [name, { type, ...places }] as const;
  });
  const index: PackIndex = { page, files: Object.fromEntries(stored) };
  const head = Buffer.from(`${JSON.stringify(index)}\n`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Buffer.concat([head, ...parts]));
}
