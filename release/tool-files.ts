import { Glob } from 'bun';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Operation } from '../core/tools/operation.ts';
import { operationsIn } from '../core/tools/operation-files.ts';
import { root } from './checkout.ts';

/*
 * Writes modules/<module>/tools/tool-files.ts: which file contains which tools, in the order that clients see, and the types of all of
 * them. A tool is named only in its declaration, from which this program reads it. Run by `npm run generate`.
 */

/** The folders whose tools come first in a list, because the others need them. The rest is sorted by name. */
const firstFolders: Readonly<Record<string, readonly string[]>> = {
  auth: ['administration', 'sessions'],
  cta: ['tenants', 'ctas', 'simulation', 'tags', 'cohorts'],
  testmgmt: [
    'projects',
    'cases',
    'runs',
    'reports',
    'sections',
    'metadata',
    'transfer',
    'pipelines',
    'insights',
  ],
};

interface ToolFile {
  readonly path: string;
  readonly operations: readonly Operation[];
}

/** The operations of a file in declaration order: the names of exports are sorted. */
async function toolFile(path: string): Promise<ToolFile> {
  const text = readFileSync(join(root, 'modules', path), 'utf8');
  const exported = (await import(join(root, 'modules', path))) as Readonly<Record<string, unknown>>;
  const declaredAt = (name: string) =>
    text.search(new RegExp(`export const (?:${name}\\b|\\[?[^=\\n]*\\b${name}\\b)`));
  const keys = Object.keys(exported).toSorted((a, b) => declaredAt(a) - declaredAt(b));
  return { path, operations: operationsIn(keys.map((key) => exported[key])) };
}

async function toolFilesOf(module: string): Promise<readonly ToolFile[]> {
  const first = firstFolders[module] ?? [];
  const place = (path: string) => {
    const at = first.indexOf(path.split('/')[1] ?? '');
    return at === -1 ? first.length : at;
  };
  const paths = [...new Glob(`${module}/**/*-operations.ts`).scanSync(join(root, 'modules'))].toSorted(
    (a, b) => place(a) - place(b) || (a < b ? -1 : 1),
  );
  const files = await Promise.all(paths.map(toolFile));
  return files.filter(({ operations }) => operations.length > 0);
}

const toolText = ({ name, toolset, alsoIn, effect }: Operation) =>
  `{ name: '${name}', toolset: '${toolset}'${alsoIn === undefined ? '' : `, alsoIn: '${alsoIn}'`}, effect: '${effect}' }`;

function sourceOf(files: readonly ToolFile[]): string {
  const from = (path: string) => `../${path.split('/').slice(1).join('/')}`;
  const entries = files.map(({ path, operations }) => {
    const load = `() => import('${from(path)}')`;
    return `  {\n    load: ${load},\n    tools: [${operations.map(toolText).join(', ')}],\n  },\n`;
  });
  const types = files.map(({ path }) => `CallsOf<typeof import('${from(path)}')>`);
  return `// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
${entries.join('')}] as const satisfies readonly OperationFile[];

export type ToolName = (typeof toolFiles)[number]['tools'][number]['name'];

/** Every tool of this module with the types of its input and its output. */
export type Calls = ${types.join(' &\n  ')};
`;
}

for (const manifest of [...new Glob('*/manifest.ts').scanSync(join(root, 'modules'))].toSorted()) {
  const module = dirname(manifest);
  const files = await toolFilesOf(module);
  if (files.length === 0) continue;
  const folder = join(root, 'modules', module, 'tools');
  mkdirSync(folder, { recursive: true });
  await Bun.write(join(folder, 'tool-files.ts'), sourceOf(files));
}
