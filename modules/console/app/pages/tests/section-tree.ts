import type { Output } from '../../api/calls.ts';

type Section = Output<'get-sections'>['sections'][number];

/** A section with those below it. */
export interface Branch {
  readonly id: number;
  readonly name: string;
  readonly children: readonly Branch[];
}

/** The tree of a list in which parents stand before children. */
export function treeOf(sections: readonly Section[]): readonly Branch[] {
  const byParent = Map.groupBy(sections, ({ parentSectionId }) => parentSectionId);
  const below = (parentId: number | null): readonly Branch[] =>
    (byParent.get(parentId) ?? []).map(({ sectionId, sectionName }) => ({
      id: sectionId,
      name: sectionName,
      children: below(sectionId),
    }));
  return below(null);
}

/** Whether a section can stand below another: not below itself or what is below it. @param parentId null: at the top. */
export function mayMove(sections: readonly Section[], id: number, parentId: number | null): boolean {
  const parents = new Map(sections.map(({ sectionId, parentSectionId }) => [sectionId, parentSectionId]));
  for (let at = parentId; at !== null; at = parents.get(at) ?? null) if (at === id) return false;
  return parents.get(id) !== parentId;
}
