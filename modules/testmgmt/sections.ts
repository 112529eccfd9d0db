/** What of a section its path is made from. */
interface Node {
  readonly name: string;
  readonly parentId: number | null;
}

/** Deeper than any real tree; it bounds the walk should a cycle ever get in. */
const maximumDepth = 64;

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
