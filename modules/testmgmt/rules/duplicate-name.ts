/** Tests that have the same name. */
export interface DuplicateGroup {
  /** Ascending. */
  readonly testIds: readonly number[];
}

/** What is compared of a name: neither case, nor how much space is between its words, nor compatible forms of letters. */
export const comparedName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s/)
    .filter((word) => word !== '')
    .join(' ');

/** Tests by what is compared of their names, collected part by part. */
export class DuplicateNames {
  readonly #idsByName = new Map<string, number[]>();

  see(testId: number, name: string): void {
    const key = comparedName(name);
    const ids = this.#idsByName.get(key);
    if (ids) ids.push(testId);
    else this.#idsByName.set(key, [testId]);
  }

  /** The groups of more than one test, the largest first, then the one with the oldest test. */
  groups(): readonly DuplicateGroup[] {
    return [...this.#idsByName.values()]
      .filter((ids) => ids.length > 1)
      .map((ids) => ({ testIds: ids.toSorted((a, b) => a - b) }))
      .toSorted((a, b) => b.testIds.length - a.testIds.length || (a.testIds[0] ?? 0) - (b.testIds[0] ?? 0));
  }
}
