import { Glob } from 'bun';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/*
 * The structure of the sources as rooms: a folder below a base is a room, and so is a file that stands in the base itself. An
 * import from one room into another is an arrow, types included. `npm run rooms` draws it in words; the architecture test holds
 * that no arrow climbs.
 */

export const root = join(import.meta.dir, '..');
export const sources = [...new Glob('{core,modules}/**/*.ts').scanSync(root)].filter(
  // What runs in a browser is a program of its own (modules/console/app/tsconfig.json).
  (file) => !file.endsWith('.test.ts') && !file.startsWith('modules/console/app/'),
);

export interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
}

/** The text of a file without the lines of comments: an example in one is no import. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\*|\/\/).*$/gm, '');

export const imports: Import[] = sources.flatMap((from) =>
  [...codeOf(from).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? relative(root, join(root, dirname(from), name)) : name,
  })),
);

/** Helpers of tests are no part of what is shipped. */
export const shipped = sources.filter((file) => !file.includes('/testing/'));
export const shippedImports = imports.filter(({ from }) => shipped.includes(from));

/** The room of a file below a base: its folder, or the file itself where it stands in the base. */
const roomOf = (base: string, file: string): string => {
  const [first = '', ...rest] = file.slice(base.length + 1).split('/');
  return rest.length > 0 ? `${first}/` : first;
};

const arrowsBelow = (base: string): readonly Import[] =>
  shippedImports.filter(
    ({ from, to }) =>
      from.startsWith(`${base}/`) && to.startsWith(`${base}/`) && roomOf(base, from) !== roomOf(base, to),
  );

/** Imports among rooms that are on a circle, types included: rooms without a way down are taken away until none is left. */
export function circlesBelow(base: string): readonly Import[] {
  let left = arrowsBelow(base);
  for (;;) {
    const leaving = new Set(left.map(({ from }) => roomOf(base, from)));
    const entered = new Set(left.map(({ to }) => roomOf(base, to)));
    const next = left.filter(
      ({ from, to }) => leaving.has(roomOf(base, to)) && entered.has(roomOf(base, from)),
    );
    if (next.length === left.length) return left;
    left = next;
  }
}

/** The rooms below a base, from the ground up: a room stands above all that it imports. Text for a person. */
export function drawingOf(base: string): string {
  const files = shipped.filter((file) => file.startsWith(`${base}/`));
  const below = new Map<string, Set<string>>(files.map((file) => [roomOf(base, file), new Set()]));
  for (const { from, to } of arrowsBelow(base)) below.get(roomOf(base, from))?.add(roomOf(base, to));
  const floors = new Map<string, number>();
  const floorOf = (room: string, path: readonly string[] = []): number => {
    const known = floors.get(room);
    if (known !== undefined || path.includes(room)) return known ?? 0;
    const under = [...(below.get(room) ?? [])].map((one) => floorOf(one, [...path, room]));
    const floor = 1 + Math.max(0, ...under);
    floors.set(room, floor);
    return floor;
  };
  for (const room of below.keys()) floorOf(room);
  const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
  const arrows = [...below.values()].reduce((sum, { size }) => sum + size, 0);
  const circles = new Set(circlesBelow(base).map(({ from }) => roomOf(base, from))).size;
  const rows = [...floors]
    .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .map(
      ([room, floor]) =>
        `  ${String(floor).padStart(2)}  ${room.padEnd(24)} ${[...(below.get(room) ?? [])].toSorted().join(' ')}`,
    );
  const figures = `${files.length} files, ${lines} lines, ${below.size} rooms, ${arrows} arrows, ${Math.max(...floors.values())} floors, ${circles} rooms on a circle`;
  return [`${base}: ${figures}`, ...rows, ''].join('\n');
}

if (import.meta.main) {
  const bases = process.argv.slice(2);
  const all = bases.length > 0 ? bases : ['core', 'modules/auth', 'modules/cta', 'modules/testmgmt'];
  await Bun.write(Bun.stdout, `${all.map(drawingOf).join('\n')}`);
}
