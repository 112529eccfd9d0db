import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { packOf, type PackedFile } from '../../../core/http/answer/file-pack.ts';
import { fileNameHash, typefaceFiles } from './typeface.ts';

/*
 * The files that a browser loads for the console, built from modules/console/app. The build of the executable stores it in one file, which
 * becomes part of the executable; a server running from the sources builds it at the first visit.
 */

/** Which file of which package is in which file of the console, as the bundler says it. */
interface BundleFiles {
  readonly inputs: Readonly<Record<string, { readonly imports: ReadonlyArray<{ readonly path: string }> }>>;
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

interface Assets {
  readonly metafile: BundleFiles;
  /** The page itself. */
  readonly page: string;
  /** Their names change with their content, e.g. `main-1a2b3c4d.js`. */
  readonly files: readonly PackedFile[];
}

const assetPath = '/console/assets/';
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
    entrypoints: [join(folder, 'root', 'main.tsx'), join(folder, 'root', 'start.tsx')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    plugins: [ownEntities],
    minify: true,
    metafile: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    publicPath: assetPath,
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
  const entryOf = (entry: string) =>
    files.find(({ kind, name }) => kind === 'entry-point' && name.startsWith(`${entry}-`))?.name;
  const [script, app] = [entryOf('main'), entryOf('start')];
  // The bundler loads the script of a page when it is shown, but never its style. All styles together are 20 kB, so they are one file: as
  // one for each page they were 17 requests before the first picture.
  const isMain = ({ name }: { readonly name: string }) => name.startsWith('main-');
  const isStyle = ({ name }: { readonly name: string }) => name.endsWith('.css');
  const styles = files
    .filter(isStyle)
    .toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)) || a.name.localeCompare(b.name));
  if (script === undefined || app === undefined || !styles.some(isMain))
    throw new Error('the console has no entry');
  const typeface = await typefaceFiles(assetPath);
  const style = styleOf([typeface.style, ...styles.map(({ bytes }) => bytes)]);
  const icon = new Uint8Array(await Bun.file(join(folder, 'icon.svg')).arrayBuffer());
  return {
    metafile: {
      inputs: built.metafile?.inputs ?? {},
      outputs: {
        ...built.metafile?.outputs,
        typeface: {
          inputs: Object.fromEntries(typeface.sources.map((name) => [name, { bytesInOutput: 1 }])),
        },
      },
    },
    page: pageOf({ script, app, style: style.name }),
    files: [
      ...files.filter((file) => !isStyle(file)).map(({ name, type, bytes }) => ({ name, type, bytes })),
      style,
      ...typeface.fonts,
      { name: 'icon.svg', type: typeOf('icon.svg'), bytes: icon },
    ],
  };
}

/** The styles as one file, in this order. */
function styleOf(sheets: readonly Uint8Array[]) {
  const bytes = new Uint8Array(Buffer.concat(sheets));
  return { name: `style-${fileNameHash(bytes)}.css`, type: typeOf('.css'), bytes };
}

/**
 * react-aria adds a style element of its own unless one with this id exists, and the policy of the page would block it. The rule stands
 * in app/design/base.css.
 */
const pageOf = ({
  script,
  app,
  style,
}: {
  readonly script: string;
  /** Loaded beside the texts of the language, run after them. */
  readonly app: string;
  readonly style: string;
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta id="react-aria-pressable-style">
<title>Trivet</title>
<link rel="icon" type="image/svg+xml" href="/console/assets/icon.svg">
<link rel="stylesheet" href="/console/assets/${style}">
<link rel="modulepreload" href="/console/assets/${app}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>The console needs JavaScript. Every tool also works on the command line: trivet --help.</noscript>
</body>
</html>
`;

/** Stores the files as one pack, which becomes part of the executable. @returns which files of packages it contains. */
export async function storeAssets(file: string): Promise<BundleFiles> {
  const { page, files, metafile } = await buildAssets();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, packOf(files, page));
  return metafile;
}
