import { nameKey } from './name-key.ts';

/** What of a section its path is made from. */
interface Node {
  readonly name: string;
  readonly parentId: number | null;
}

export interface Branch extends Node {
  readonly id: number;
}

/** How many names a path may have. It also bounds the walk should a cycle ever get in. */
export const maximumDepth = 32;

/** The names from the top section down to this one, or an empty list for no section. Pure. */
export function sectionPath(sections: ReadonlyMap<number, Node>, sectionId: number | null): string[] {
  const path: string[] = [];
  for (let at = sectionId; at !== null && path.length < maximumDepth;) {
    const section = sections.get(at);
    if (!section) break;
    path.unshift(section.name);
    at = section.parentId;
  }
  return path;
}

/** Sections in the order of their tree: each after its parent, siblings by name. Pure. */
export function inTreeOrder<T extends Branch>(sections: readonly T[]): T[] {
  const under = new Map<number | null, T[]>();
  for (const section of sections) {
    const siblings = under.get(section.parentId);
    if (siblings) siblings.push(section);
    else under.set(section.parentId, [section]);
  }
  const ordered: T[] = [];
  const visit = (parentId: number | null) => {
    const siblings = under.get(parentId) ?? [];
    for (const section of siblings.toSorted(byName)) {
      ordered.push(section);
      visit(section.id);
    }
  };
  visit(null);
  return ordered;
}

/** By name key, code unit by code unit: the same order on every machine, whatever its language. */
function byName(a: Branch, b: Branch): number {
  const [one, other] = [nameKey(a.name), nameKey(b.name)];
  if (one !== other) return one < other ? -1 : 1;
  return a.id - b.id;
}

/** The section under the same parent that has this name already, if any; `except` is the one that is renamed. Pure. */
export function namesake<T extends Branch>(
  sections: readonly T[],
  { name, parentId, except }: { name: string; parentId: number | null; except?: number },
): T | undefined {
  const key = nameKey(name);
  return sections.find(
    (section) => section.parentId === parentId && section.id !== except && nameKey(section.name) === key,
  );
}
