import { parse } from 'acorn';
import { plugin } from 'bun';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/*
 * Records which files a request passes through: loaded before the sources (`--preload`), it adds a note of its file to the start of each
 * function of core/ and modules/. A walk is the order of these notes. Entering a file again after another one is a return: the more
 * returns, the more often a reader turns back.
 */

const root = join(import.meta.dir, '..', '..');
const transpiler = new Bun.Transpiler({ loader: 'ts', target: 'bun' });
const recording: { files: string[] | undefined } = { files: undefined };
const note = 'globalThis.__trivetWalk';
Object.assign(globalThis, {
  __trivetWalk: (file: string) => {
    if (recording.files && recording.files.at(-1) !== file) recording.files.push(file);
  },
});

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** The source with a note at the start of each function. */
export function withNotes(source: string, file: string): string {
  const code = transpiler.transformSync(source);
  const call = `${note}(${JSON.stringify(file)})`;
  const inserted: Array<readonly [at: number, text: string]> = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value)) return;
    const { body } = value;
    if (/Function/.test(value.type) && isNode(body))
      inserted.push(
        ...(body.type === 'BlockStatement'
          ? ([[body.start + 1, `${call};`]] as const)
          : ([
              [body.start, `(${call}, `],
              [body.end, ')'],
            ] as const)),
      );
    for (const [key, child] of Object.entries(value)) if (key !== 'type') visit(child);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }));
  let noted = code;
  for (const [at, text] of inserted.toSorted(([a], [b]) => b - a))
    noted = `${noted.slice(0, at)}${text}${noted.slice(at)}`;
  return noted;
}

plugin({
  name: 'walks',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(?:core|modules)\/.*\.ts$/ }, ({ path }) => ({
      contents: withNotes(readFileSync(path, 'utf8'), relative(root, path)),
      loader: 'js',
    }));
  },
});

export interface Walk {
  /** Files in the order in which they are entered. */
  readonly path: readonly string[];
  /** The number of different files. */
  readonly files: number;
  /** How often a file that was left before is entered again. */
  readonly returns: number;
}

/** A request leaves callbacks for the next turn of the event loop: they belong to it, and not by chance to the one after. */
const settled = () => Bun.sleep(20);

/** The files that `request` passes through. Nothing else may run in this process at that time. */
export async function walkOf(request: () => Promise<unknown>): Promise<Walk> {
  await settled();
  recording.files = [];
  await request();
  await settled();
  const path = recording.files;
  recording.files = undefined;
  const files = new Set(path).size;
  return { path, files, returns: path.length - files };
}
