import { Glob } from 'bun';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { importsOf, root, type Import } from './imports.ts';

/*
 * The structure of the sources as rooms: every folder is one room, including the root of a module and the folders of the console. An import
 * from one room into another is an arrow; type imports count. `npm run rooms` prints the rooms as text; the architecture test checks that
 * no arrow is part of a circle.
 */

const isSource = (file: string) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts');
/** The sources that run on the server and at the command line. */
export const sources = [...new Glob('{core,modules}/**/*.ts').scanSync(root)].filter(
  (file) => isSource(file) && !file.startsWith('modules/console/app/'),
);
/** The sources that run in a browser, as a separate program (modules/console/app/tsconfig.json). */
export const consoleSources = [...new Glob('modules/console/app/**/*.{ts,tsx}').scanSync(root)].filter(
  isSource,
);

/** The sources of the app SDK (sdk/tsconfig.json). Its folder `testing` is for the tests of apps, and shipped. */
export const sdkSources = [...new Glob('sdk/**/*.{ts,tsx}').scanSync(root)].filter(
  (file) => isSource(file) && !file.endsWith('.test.tsx') && !file.startsWith('sdk/dist'),
);

export const imports = importsOf(sources);

/** Code used only by tests is not shipped. */
export const isShipped = (file: string) => !file.includes('/testing/') || file.startsWith('sdk/');
export const shipped = sources.filter(isShipped);
export const shippedImports = imports.filter(({ from }) => isShipped(from));

/** Every room of the shipped sources, with its files. */
export const rooms: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  [...shipped, ...consoleSources.filter(isShipped), ...sdkSources],
  (file) => dirname(file),
);

const inRooms = new Set([...rooms.values()].flat());

/** The imports between files of rooms. */
const arrows: readonly Import[] = importsOf([...inRooms]).filter(({ to }) => inRooms.has(to));

/**
 * Imports between groups of files that are part of a circle: groups that import nothing, or that no group imports, are removed repeatedly.
 * The remainder contains every circle, and the paths between circles.
 * @param groupOf the group of a file, e.g. its room, or the file itself.
 */
export function circlesOf(groupOf: (file: string) => string): readonly Import[] {
  let left = arrows.filter(({ from, to }) => groupOf(from) !== groupOf(to));
  for (;;) {
    const leaving = new Set(left.map(({ from }) => groupOf(from)));
    const entered = new Set(left.map(({ to }) => groupOf(to)));
    const next = left.filter(({ from, to }) => leaving.has(groupOf(to)) && entered.has(groupOf(from)));
    if (next.length === left.length) return left;
    left = next;
  }
}

/** The part of the system to which a file belongs: a folder of `core`, of `sdk`, of a module or of the console's program. */
export function partOf(file: string): string {
  const folders = dirname(file).split('/');
  const depth = file.startsWith('modules/console/app/') ? 4 : file.startsWith('modules/') ? 3 : 2;
  return folders.slice(0, depth).join('/');
}

/** The arrows that leave each room of a base, by room. */
export function roomsBelow(base: string): ReadonlyMap<string, ReadonlySet<string>> {
  const isBelow = (room: string) => room === base || room.startsWith(`${base}/`);
  const found = new Map<string, Set<string>>();
  for (const room of rooms.keys()) if (isBelow(room)) found.set(room, new Set());
  for (const { from, to } of arrows)
    if (dirname(from) !== dirname(to) && isBelow(dirname(to))) found.get(dirname(from))?.add(dirname(to));
  return found;
}

/** The line of the rooms outside a base that its rooms import; nothing if there are none. */
function outsideOf(base: string): readonly string[] {
  const isBelow = (room: string) => room === base || room.startsWith(`${base}/`);
  const outside = arrows.filter(({ from, to }) => isBelow(dirname(from)) && !isBelow(dirname(to)));
  const named = [...new Set(outside.map(({ to }) => dirname(to)))].toSorted();
  return named.length > 0 ? [`  outside: ${named.join(' ')}`] : [];
}

/** The rooms of a base, from the ground up: a room is above all rooms that it imports. Text for people. */
export function drawingOf(base: string): string {
  const below = roomsBelow(base);
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
  const files = [...below.keys()].flatMap((room) => rooms.get(room) ?? []);
  const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  const lines = files.reduce((sum, file) => sum + linesOf(file), 0);
  const count = [...below.values()].reduce((sum, { size }) => sum + size, 0);
  const circles = new Set(circlesOf(dirname).map(({ from }) => dirname(from))).size;
  const largest = Math.max(...[...below.keys()].map((room) => rooms.get(room)?.length ?? 0));
  const shown = (room: string) => (room === base ? `${basename(base)}/` : `${room.slice(base.length + 1)}/`);
  const rows = [...floors]
    .toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .map(([room, floor]) => {
      const number = String(rooms.get(room)?.length ?? 0).padStart(4);
      return `  ${String(floor).padStart(2)} ${number}  ${shown(room).padEnd(28)} ${[...(below.get(room) ?? [])].map(shown).toSorted().join(' ')}`;
    });
  const figures = `${files.length} files, ${lines} lines, ${below.size} rooms, the largest of ${largest} files, ${count} arrows, ${Math.max(...floors.values())} floors, ${circles} rooms on a circle`;
  return [`${base}: ${figures}`, 'floor files', ...rows, ...outsideOf(base), ''].join('\n');
}

/** The part to which a file belongs in the diagram: a folder of core, a module, or the SDK; the program of the console is separate. */
const pictured = (file: string): string =>
  file.startsWith('modules/console/app/')
    ? 'modules/console/app'
    : file.startsWith('sdk/')
      ? 'sdk'
      : partOf(file).split('/').slice(0, 2).join('/');

/** The parts of the system and their imports as a Mermaid diagram. Imports implied by others are omitted. */
export function picture(): string {
  const below = new Map<string, Set<string>>();
  for (const file of inRooms) below.set(pictured(file), below.get(pictured(file)) ?? new Set());
  for (const { from, to } of arrows)
    if (pictured(from) !== pictured(to)) below.get(pictured(from))?.add(pictured(to));
  const reaches = (from: string, to: string): boolean =>
    [...(below.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const lines = [...below].toSorted().flatMap(([from, to]) =>
    [...to]
      .filter((one) => ![...to].some((other) => other !== one && reaches(other, one)))
      .toSorted()
      .map((one) => `  ${from} --> ${one}`),
  );
  return ['flowchart TD', ...lines, ''].join('\n');
}

if (import.meta.main) {
  const words = process.argv.slice(2);
  const bases = words.length > 0 ? words : ['core', 'modules', 'sdk'];
  await Bun.write(Bun.stdout, words.includes('--picture') ? picture() : bases.map(drawingOf).join('\n'));
}
