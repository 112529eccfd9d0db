import { together, type Query } from '../../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import type { ReportedCase } from '../../result-files/cases/reported-case.ts';
import { explicitIdOf, keyHash, keyOf, keyText, type AutomationKey } from './automation-key.ts';
import { liveTestIds } from '../../runs/run-case-store.ts';
import { knownKeys } from './automation-key-store.ts';
import { DigestCounts } from './digest-counts.ts';
import { countCases, noTotals, type CaseTotals, type UploadCases } from '../rows/upload-cases.ts';
import { namedInReport } from '../rows/upload-report.ts';

/** How a reported case found its test. */
export const foundBy = { nothing: 0, key: 1, alias: 2, id: 3 } as const;
type FoundBy = (typeof foundBy)[keyof typeof foundBy];

const digestOf = (text: string): number => Number(Bun.hash.xxHash64(text) >> 11n);

const partOf = (digest: number, number: number | string | undefined): string =>
  `${digest.toString(36)}${number ?? ''}`;

/** The word for a case with this key, as in {@link MatchedCases.partAt}. */
export function partOfKey(text: string): string {
  const [, name = text, number] = /^([^]*) #(\d+)$/.exec(text) ?? [];
  return partOf(digestOf(number === undefined ? text : name), number);
}

interface Duplicate {
  readonly name: string;
  readonly count: number;
  readonly file?: string;
}

/**
 * The tests of the cases of an upload, by position. An upload may have a million cases, so each is represented by numbers here, and its key
 * is computed again where needed.
 */
export class MatchedCases {
  /** The test of each case; 0 for none. */
  readonly testIds: Float64Array;
  readonly foundBy: Uint8Array;
  /** 53 bits of a digest of each name, which distinguish the cases of one test. */
  readonly #digests: Float64Array;
  /** The number of each case among those with its name. A Map of a million equal cases takes 100 ms in one step to grow (measured). */
  readonly #numbers: Uint32Array;
  readonly #names: DigestCounts;
  readonly #duplicates = new Map<string, Duplicate>();
  /** The second and later cases that name one test. They are stored together with the first. */
  readonly #later = new Map<number, ReportedCase>();
  readonly #named = new Map<number, number[]>();

  constructor(count: number) {
    this.testIds = new Float64Array(count);
    this.foundBy = new Uint8Array(count);
    this.#digests = new Float64Array(count);
    this.#numbers = new Uint32Array(count);
    this.#names = new DigestCounts(count);
  }

  /** The number of cases that have a test. */
  foundCount(): number {
    let count = 0;
    for (let at = 0; at < this.foundBy.length; at++) if (this.foundBy[at] !== foundBy.nothing) count++;
    return count;
  }

  keyAt(at: number, reported: ReportedCase): AutomationKey {
    return keyOf(reported, this.#numbers[at] || 1);
  }

  match(at: number, testId: number, by: FoundBy): void {
    this.testIds[at] = testId;
    this.foundBy[at] = by;
  }

  unmatch(at: number): void {
    this.match(at, 0, foundBy.nothing);
  }

  /** Records a case that names its test. */
  matchNamed(at: number, testId: number, reported: ReportedCase): void {
    this.match(at, testId, foundBy.id);
    const known = this.#named.get(testId);
    if (!known) return void this.#named.set(testId, [at]);
    known.push(at);
    this.#later.set(at, reported);
  }

  /** Records a case whose key leads to a test that other cases name: it is stored together with them. */
  joinNamed(at: number, reported: ReportedCase): void {
    this.#named.get(this.testIds[at] ?? 0)?.push(at);
    this.#later.set(at, reported);
  }

  /** The positions of the cases that name a test, in order; undefined for any other test. */
  namedAt(testId: number): readonly number[] | undefined {
    return this.#named.get(testId);
  }

  laterAt(at: number): ReportedCase | undefined {
    return this.#later.get(at);
  }

  /**
   * Numbers a case among those with its name. Must be called once per case, in order.
   * @returns the text of its key.
   */
  number(at: number, reported: ReportedCase): string {
    const text = keyText(keyOf(reported));
    // Used instead of the text: a million names would take a hundred megabytes.
    const digest = digestOf(text);
    this.#digests[at] = digest;
    const number = this.#names.add(digest);
    this.#numbers[at] = number;
    if (number === 1) return text;
    if (this.#duplicates.has(text) || this.#duplicates.size < namedInReport) {
      const { file } = reported;
      this.#duplicates.set(text, { name: text, count: number, ...(file === undefined ? {} : { file }) });
    }
    return keyText(this.keyAt(at, reported));
  }

  /** A short word for a case, the same in each upload. */
  partAt(at: number): string {
    const number = this.#numbers[at] ?? 1;
    return partOf(this.#digests[at] ?? 0, number > 1 ? number : undefined);
  }

  /** The names shared by several cases, with the number of each; the first 100. */
  get duplicates(): readonly Duplicate[] {
    return [...this.#duplicates.values()];
  }
}

export interface Matching {
  readonly matched: MatchedCases;
  /** The totals of each file. */
  readonly totals: readonly CaseTotals[];
  readonly warnings: readonly string[];
}

/**
 * Finds the test of each case: the test that it names itself, else that of its automation key, else of an alias. Cases with different names
 * may find the same test: name-contest.ts decides which keeps it. Yields to other requests.
 */
export async function matchCases(
  q: Query,
  projectId: number,
  upload: UploadCases,
  signal: AbortSignal,
): Promise<Matching> {
  const matched = new MatchedCases(upload.count);
  const totals = upload.files.map(noTotals);
  const unknown = new Set<number>();
  for (const { from, file, cases } of upload.batches()) {
    countCases(totals[file] ?? noTotals(), cases);
    const hashes = cases.map((reported, index) => keyHash(matched.number(from + index, reported)));
    const named = cases.map(explicitIdOf);
    const ids = [...new Set(named)].filter((id) => id !== undefined);
    if (turnIsOver()) await nextTurn(signal);
    const [known, live] = await together([
      knownKeys(q, projectId, hashes, signal),
      ids.length === 0
        ? Promise.resolve<ReadonlySet<number>>(new Set())
        : liveTestIds(q, projectId, ids, signal),
    ]);
    for (const [index, reported] of cases.entries()) {
      const id = named[index];
      if (id !== undefined && live.has(id)) {
        matched.matchNamed(from + index, id, reported);
        continue;
      }
      if (id !== undefined) unknown.add(id);
      const key = known.get(hashes[index] ?? '');
      if (!key || key.deleted) continue;
      matched.match(from + index, key.testId, key.isAlias ? foundBy.alias : foundBy.key);
    }
    if (turnIsOver()) await nextTurn(signal);
  }
  return { matched, totals, warnings: unknown.size === 0 ? [] : [unknownText([...unknown])] };
}

function unknownText(ids: readonly number[]): string {
  const shown = ids.slice(0, 20).map((id) => `T${id}`);
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  return (
    `The project has no ${ids.length === 1 ? 'test' : 'tests'} ${shown.join(', ')}${more}, which cases name. ` +
    'They were looked up by their names.'
  );
}
