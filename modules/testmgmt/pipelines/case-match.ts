import { together, type Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import type { ReportedCase } from '../result-files/reported-case.ts';
import { explicitIdOf, keyHash, keyOf, keyText, type AutomationKey } from './automation-key.ts';
import { knownKeys, liveTestIds } from './automation-key-store.ts';

/** How a case found its test. */
export const foundBy = { nothing: 0, key: 1, alias: 2, id: 3 } as const;
type FoundBy = (typeof foundBy)[keyof typeof foundBy];

const digestOf = (text: string): number => Number(Bun.hash.xxHash64(text) >> 11n);

const partOf = (digest: number, number: number | string | undefined): string =>
  `${digest.toString(36)}${number ?? ''}`;

/** The word for a case, as {@link MatchedCases.partAt} has it, that has this key. */
export function partOfKey(text: string): string {
  const [, name = text, number] = /^([^]*) #(\d+)$/.exec(text) ?? [];
  return partOf(digestOf(number === undefined ? text : name), number);
}

/** Cases whose keys are looked up at once. */
const matchedAtOnce = 1_000;

/**
 * The cases of an upload with their tests. An upload may have a million cases, so what is known of each is a number here, and its key is
 * computed again where it is needed.
 */
export class MatchedCases {
  readonly cases: readonly ReportedCase[];
  /** The test of each case; 0 for none. */
  readonly testIds: Float64Array;
  readonly foundBy: Uint8Array;
  /** 53 bits of a digest of each name, which tell the cases of one test apart. */
  readonly #digests: Float64Array;
  /** Which of several cases of one name a case is; 1 unless it stands here. */
  readonly #numbers = new Map<number, number>();
  readonly #names = new Map<number, number>();

  constructor(cases: readonly ReportedCase[]) {
    this.cases = cases;
    this.testIds = new Float64Array(cases.length);
    this.foundBy = new Uint8Array(cases.length);
    this.#digests = new Float64Array(cases.length);
  }

  keyAt(at: number): AutomationKey {
    const reported = this.cases[at];
    if (!reported) throw new Error('no such case');
    return keyOf(reported, this.#numbers.get(at));
  }

  match(at: number, testId: number, by: FoundBy): void {
    this.testIds[at] = testId;
    this.foundBy[at] = by;
  }

  unmatch(at: number): void {
    this.match(at, 0, foundBy.nothing);
  }

  /**
   * Numbers a case among those of its name. To be called once for each case, in their order.
   * @returns the text of its key.
   */
  number(at: number): string {
    const text = keyText(this.keyAt(at));
    // Instead of the text: a million names would take a hundred megabytes.
    const digest = digestOf(text);
    this.#digests[at] = digest;
    const number = (this.#names.get(digest) ?? 0) + 1;
    this.#names.set(digest, number);
    if (number === 1) return text;
    this.#numbers.set(at, number);
    return keyText(this.keyAt(at));
  }

  /** A short word for a case, the same in each upload. */
  partAt(at: number): string {
    return partOf(this.#digests[at] ?? 0, this.#numbers.get(at));
  }

  /** The names of several cases and how many have each; at most `limit`. */
  duplicates(limit: number): ReadonlyArray<{ name: string; count: number; file?: string }> {
    const counts = new Map<string, { name: string; count: number; file?: string }>();
    for (const [at, number] of this.#numbers) {
      const reported = this.cases[at];
      if (!reported) continue;
      const name = keyText(keyOf(reported));
      if (!counts.has(name) && counts.size >= limit) continue;
      const { file } = reported;
      counts.set(name, { name, count: number, ...(file === undefined ? {} : { file }) });
    }
    return [...counts.values()];
  }
}

export interface Matching {
  readonly matched: MatchedCases;
  readonly warnings: readonly string[];
}

/**
 * Finds the test of each case: the one that it names itself, else that of its automation key, else of an alias. Cases of several names
 * may have one test: name-contest.ts says whose it is.
 */
export async function matchCases(
  q: Query,
  projectId: number,
  cases: readonly ReportedCase[],
  signal: AbortSignal,
): Promise<Matching> {
  const matched = new MatchedCases(cases);
  const named = new Map<number, number>();
  for (let from = 0; from < cases.length; from += matchedAtOnce) {
    const to = Math.min(cases.length, from + matchedAtOnce);
    const hashes: string[] = [];
    const ids = new Map<number, number>();
    for (let at = from; at < to; at++) {
      hashes.push(keyHash(matched.number(at)));
      const reported = cases[at];
      const id = reported && explicitIdOf(reported);
      if (id !== undefined) ids.set(at, id);
      if (turnIsOver()) await nextTurn(signal);
    }
    const [known, live] = await together([
      knownKeys(q, projectId, hashes, signal),
      ids.size === 0
        ? Promise.resolve<ReadonlySet<number>>(new Set())
        : liveTestIds(q, projectId, [...new Set(ids.values())], signal),
    ]);
    for (let at = from; at < to; at++) {
      const id = ids.get(at);
      if (id !== undefined && live.has(id)) {
        matched.match(at, id, foundBy.id);
        continue;
      }
      if (id !== undefined) named.set(id, at);
      const key = known.get(hashes[at - from] ?? '');
      if (!key || key.deleted) continue;
      matched.match(at, key.testId, key.isAlias ? foundBy.alias : foundBy.key);
    }
  }
  const unknown = [...named.keys()].slice(0, 20).map((id) => `T${id}`);
  const warnings =
    unknown.length === 0
      ? []
      : [
          `The project has no ${named.size === 1 ? 'test' : 'tests'} ${unknown.join(', ')}` +
            `${named.size > unknown.length ? ` and ${named.size - unknown.length} more` : ''}, which cases name. They were looked up by their names.`,
        ];
  return { matched, warnings };
}
