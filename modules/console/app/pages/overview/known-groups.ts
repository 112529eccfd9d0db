/** Failures with an issue first: somebody works on them. What fails most tests stands first among equals, as given. */
export const knownGroupsFirst = <G extends { readonly defects: readonly unknown[] }>(
  groups: readonly G[],
): readonly G[] => groups.toSorted((a, b) => Math.sign(b.defects.length) - Math.sign(a.defects.length));
