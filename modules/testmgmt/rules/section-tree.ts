import { nameKey } from '../../../core/text/name-key.ts';
import { joined } from './name-list.ts';

interface Node {
  readonly name: string;
  readonly parentId: number | null;
}

interface Branch extends Node {
  readonly id: number;
}

/** The most names in a path. It also bounds the walk in case of a cycle. */
export const maxDepth = 32;

/** The names from the top section down to this one; an empty list for no section. */
export function sectionPath(sections: ReadonlyMap<number, Node>, sectionId: number | null): string[] {
  const path: string[] = [];
  for (let at = sectionId; at !== null && path.length < maxDepth;) {
    const section = sections.get(at);
    if (!section) break;
    path.unshift(section.name);
    at = section.parentId;
  }
  return path;
}

/** The ids above a section, the nearest first. The last one is not in `sections`, or below itself, if no top section is reached. */
export function idsAbove(
  sections: ReadonlyMap<number, Pick<Branch, 'parentId'>>,
  { parentId }: Pick<Branch, 'parentId'>,
): ReadonlySet<number> {
  const ids = new Set<number>();
  for (let at = parentId; at !== null && !ids.has(at); at = sections.get(at)?.parentId ?? null) ids.add(at);
  return ids;
}

/** The sections that make themselves and those below them unreachable from the top, with the reason as a part of a sentence. */
export function unreachableSections(
  sections: readonly Branch[],
): ReadonlyArray<{ readonly id: number; readonly why: string }> {
  const byId = new Map(sections.map((section) => [section.id, section]));
  return sections.flatMap((section) => {
    const { id, parentId } = section;
    if (parentId !== null && !byId.has(parentId))
      return [{ id, why: `its parent, section ${parentId}, is gone` }];
    return idsAbove(byId, section).has(id) ? [{ id, why: 'it is below itself' }] : [];
  });
}

/** Equal for paths that differ only in case, accents and space. */
export const pathKey = (path: readonly string[]): string => path.map(nameKey).join('\u0001');

/** A path as people write it: `Checkout > Payment`. A backslash escapes a `>` inside a name. */
export const pathText = (path: readonly string[]): string => joined(path, '>');

/** The sections of a project, indexed by their paths. */
export interface PathIndex {
  /** By {@link pathKey}. */
  readonly ids: ReadonlyMap<string, number>;
  /** In section order. */
  readonly texts: readonly string[];
}

/** Yields where it may be interrupted. */
export function* pathIndexOf(sections: readonly Branch[]): Generator<void, PathIndex> {
  const byId = new Map(sections.map((section) => [section.id, section]));
  const ids = new Map<string, number>();
  const texts: string[] = [];
  for (const { id } of sections) {
    const path = sectionPath(byId, id);
    ids.set(pathKey(path), id);
    texts.push(pathText(path));
    yield;
  }
  return { ids, texts };
}

/** Adds a path and its ancestors to `missing`, unless they are known. Parents of a known section are known, too. */
export function noteMissing(
  path: readonly string[],
  known: ReadonlyMap<string, number>,
  missing: Map<string, readonly string[]>,
): void {
  for (let depth = path.length; depth > 0; depth--) {
    const above = path.slice(0, depth);
    const key = pathKey(above);
    if (known.has(key) || missing.has(key)) return;
    missing.set(key, above);
  }
}

/** Parents before children. */
export const parentsFirst = (paths: ReadonlyMap<string, readonly string[]>): Array<readonly string[]> =>
  [...paths.values()].toSorted((a, b) => a.length - b.length);

/** Sections in tree order: each after its parent, siblings by name. Yields where it may be interrupted. */
export function* inTreeOrder<T extends Branch>(sections: readonly T[]): Generator<void, T[]> {
  const under = new Map<number | null, Array<Keyed<T>>>();
  for (const section of sections) {
    // The key is computed once per section: within the comparison, 10,000 siblings took 130 ms.
    const keyed = { section, key: nameKey(section.name) };
    const siblings = under.get(section.parentId);
    if (siblings) siblings.push(keyed);
    else under.set(section.parentId, [keyed]);
    yield;
  }
  const ordered: T[] = [];
  function* visit(parentId: number | null): Generator<void, void> {
    const siblings = under.get(parentId);
    if (!siblings) return;
    for (const { section } of siblings.toSorted(byName)) {
      ordered.push(section);
      yield;
      yield* visit(section.id);
    }
  }
  yield* visit(null);
  return ordered;
}

interface Keyed<T> {
  readonly section: T;
  readonly key: string;
}

/** Compares the code units of the name key, so that the order does not depend on the language of the machine. */
function byName(a: Keyed<Branch>, b: Keyed<Branch>): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.section.id - b.section.id;
}

/** The existing section of this name under the same parent; `except` is the section being renamed. */
export function namesake<T extends Branch>(
  sections: readonly T[],
  { name, parentId, except }: { name: string; parentId: number | null; except?: number },
): T | undefined {
  const key = nameKey(name);
  return sections.find(
    (section) => section.parentId === parentId && section.id !== except && nameKey(section.name) === key,
  );
}

/**
 * A section and all its subsections, by id, with their levels; the section itself has level 1.
 * @param sections in tree order: parents before children.
 */
export function levelsBelow(sections: readonly Branch[], sectionId: number): ReadonlyMap<number, number> {
  const levels = new Map<number, number>([[sectionId, 1]]);
  for (const { id, parentId } of sections) {
    const above = parentId === null ? undefined : levels.get(parentId);
    if (above !== undefined) levels.set(id, above + 1);
  }
  return levels;
}
