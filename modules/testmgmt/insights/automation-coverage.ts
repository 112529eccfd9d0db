import { percentOf } from '../rules/percent.ts';

/** The tests of one section, without its subsections. */
interface SectionCount {
  readonly sectionId: number | null;
  readonly automationStatusId: number | null;
  readonly count: number;
}

interface Tree {
  readonly name: string;
  readonly parentId: number | null;
}

interface SectionCoverage {
  readonly sectionId: number | null;
  readonly tests: number;
  readonly automated: number;
  readonly coverage: number | null;
  readonly byStatus: ReadonlyMap<number | null, number>;
}

/**
 * How much of each section is automated, including its subsections; null stands for tests without a section.
 * @param automated the automation status that counts.
 */
export function automationCoverage(
  counts: Iterable<SectionCount>,
  tree: ReadonlyMap<number, Tree>,
  automated: ReadonlySet<number>,
): ReadonlyMap<number | null, SectionCoverage> {
  const sums = new Map<number | null, Map<number | null, number>>();
  for (const { sectionId, automationStatusId, count } of counts) {
    let at: number | null = sectionId;
    // Sections are nested at most 32 deep; the bound only guards against a cycle in damaged data.
    for (let depth = 0; depth < 64; depth++) {
      const sum = sums.get(at) ?? new Map<number | null, number>();
      sums.set(at, sum);
      sum.set(automationStatusId, (sum.get(automationStatusId) ?? 0) + count);
      const parent: number | null = at === null ? null : (tree.get(at)?.parentId ?? null);
      if (parent === null) break;
      at = parent;
    }
  }
  return new Map(
    [...sums].map(([sectionId, byStatus]) => {
      const all = [...byStatus].reduce((sum, [, count]) => sum + count, 0);
      const done = [...byStatus].reduce(
        (sum, [status, count]) => sum + (status !== null && automated.has(status) ? count : 0),
        0,
      );
      const coverage = percentOf(done, all);
      return [sectionId, { sectionId, tests: all, automated: done, coverage, byStatus }] as const;
    }),
  );
}
