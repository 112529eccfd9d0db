import type { ReportedStatus } from '../cases/reported-case.ts';

/** The facts about a case that every format can express. */
export interface WrittenCase {
  readonly suites: readonly string[];
  readonly name: string;
  readonly status: ReportedStatus;
  readonly durationMs: number;
  readonly message: string;
}

/** Cases by their suites. */
export interface Tree {
  readonly cases: WrittenCase[];
  readonly suites: Map<string, Tree>;
}

export function treeOf(cases: readonly WrittenCase[]): Tree {
  const root: Tree = { cases: [], suites: new Map() };
  for (const one of cases) {
    let at = root;
    for (const suite of one.suites) {
      const inner = at.suites.get(suite) ?? { cases: [], suites: new Map() };
      at.suites.set(suite, inner);
      at = inner;
    }
    at.cases.push(one);
  }
  return root;
}
