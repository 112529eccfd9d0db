import type { TestStatus } from '../rules/test-status.ts';

/** What is known of a requirement's tests, by the last result of each. */
export interface RequirementCoverage {
  readonly key: string;
  readonly url: string | null;
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly blocked: number;
  /** The last result is retest or untested. */
  readonly untested: number;
  readonly neverRun: number;
  readonly lastAt: number | null;
}

/** A test that is linked to a requirement, with its last result. */
export interface LinkedTest {
  readonly testId: number;
  readonly key: string;
  /** The key in lower case. */
  readonly keyName: string;
  readonly url: string | null;
  readonly last: { readonly status: TestStatus; readonly at: number } | null;
}

type Counts = { -readonly [F in keyof RequirementCoverage]: RequirementCoverage[F] };

const columnOf = {
  passed: 'passed',
  failed: 'failed',
  blocked: 'blocked',
  retest: 'untested',
  untested: 'untested',
} as const;

/** Counts tests by requirement. A test counts once, however often it is linked: on its own, and by its results. */
export class CoverageTally {
  readonly #byKey = new Map<string, { readonly counts: Counts; readonly seen: Set<number> }>();

  add({ testId, key, keyName, url, last }: LinkedTest): void {
    let known = this.#byKey.get(keyName);
    if (!known) {
      const counts = {
        key,
        url,
        tests: 0,
        passed: 0,
        failed: 0,
        blocked: 0,
        untested: 0,
        neverRun: 0,
        lastAt: null,
      };
      this.#byKey.set(keyName, (known = { counts, seen: new Set() }));
    }
    const { counts, seen } = known;
    counts.url ??= url;
    if (seen.has(testId)) return;
    seen.add(testId);
    counts.tests++;
    counts[last === null ? 'neverRun' : columnOf[last.status]]++;
    if (last) counts.lastAt = Math.max(counts.lastAt ?? 0, last.at);
  }

  /** In the order of the keys: SHOP-2 is before SHOP-10. */
  get all(): readonly RequirementCoverage[] {
    const order = new Intl.Collator('en', { numeric: true });
    return [...this.#byKey.values()]
      .map(({ counts }) => counts)
      .toSorted((a, b) => order.compare(a.key, b.key));
  }
}
