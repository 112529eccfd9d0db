import { maxDepth } from '../rules/section-tree.ts';

interface MovedNode {
  readonly id: number;
  readonly parentId: number | null;
}

/**
 * Sections in an order in which each comes after its parent. One whose parent is missing, is below itself, or is too deep comes to the top.
 * @returns the levels, and the ids of those that came to the top.
 */
export function inMovedOrder<N extends MovedNode>(
  nodes: readonly N[],
): { readonly levels: ReadonlyArray<readonly N[]>; readonly raised: ReadonlySet<number> } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const depths = new Map<number, number>();
  const raised = new Set<number>();
  for (const node of nodes) {
    // Up to a section whose depth is known; a path is walked once.
    const path: N[] = [];
    const onPath = new Set<number>();
    let at: N | undefined = node;
    while (at && !depths.has(at.id) && !onPath.has(at.id)) {
      path.push(at);
      onPath.add(at.id);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    let depth = at && depths.has(at.id) ? (depths.get(at.id) ?? 0) : 0;
    for (const one of path.toReversed()) {
      const parent = one.parentId === null ? undefined : depths.get(one.parentId);
      const isLost = one.parentId !== null && parent === undefined;
      if (isLost || depth + 1 > maxDepth) {
        raised.add(one.id);
        depth = 1;
      } else depth = (parent ?? 0) + 1;
      depths.set(one.id, depth);
    }
  }
  const levels: N[][] = [];
  for (const node of nodes) {
    const level = (depths.get(node.id) ?? 1) - 1;
    (levels[level] ??= []).push(node);
  }
  return { levels, raised };
}
