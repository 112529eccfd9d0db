import type { AutomationKey } from './automation-key.ts';
import { similarityOfNames } from './name-similarity.ts';

/*
 * Decides which vanished test is the same as a new one (docs/decisions/results-of-pipelines.md). A pair is only an offer: accepting it
 * declares that it is the same test. So a pair that a person would doubt is omitted; then one test counts as missing and the other as new.
 */

/** A key in the compared run but not in this one, or the other way round. */
export interface RenameCandidate {
  readonly key: AutomationKey;
  readonly file?: string | null;
}

interface Rename<V, A> {
  readonly from: V;
  readonly to: A;
  /** 0 to 1. */
  readonly similarity: number;
}

/** The lowest similarity at which a pair is offered. */
export const offeredFrom = 0.6;
/** The lowest similarity at which a pair is included when all are accepted; a pair below it must be reviewed. */
export const sureFrom = 0.7;
/** The minimum distance to the second-best pair. */
const margin = 0.1;
/** Beyond this many keys, those of one suite are not compared pairwise: the cost is their product. */
const comparedAtMost = 200;
/** The share of a suite that must reappear under another name. */
const suiteOverlap = 0.5;

const placeOf = ({ key }: RenameCandidate) => key.suite;
const nameOf = ({ key }: RenameCandidate) => key.name + key.suffix;

/** The pairs; each key is in at most one. Yields where it may be interrupted. */
export function* renamesOf<V extends RenameCandidate, A extends RenameCandidate>(
  vanished: readonly V[],
  appeared: readonly A[],
): Generator<void, readonly Rename<V, A>[]> {
  const left = new Set(vanished);
  const open = new Set(appeared);
  const found: Array<Rename<V, A>> = [];
  const take = (from: V, to: A, similarity: number) => {
    if (!left.delete(from)) return;
    if (!open.delete(to)) return void left.add(from);
    found.push({ from, to, similarity: Math.round(similarity * 100) / 100 });
  };

  const places = yield* movedSuites([...left], [...open]);
  const [vanishedIn, appearedIn] = [Map.groupBy(vanished, placeOf), Map.groupBy(appeared, placeOf)];
  for (const { from, to, overlap } of places) {
    const names = Map.groupBy(appearedIn.get(to) ?? [], nameOf);
    for (const one of vanishedIn.get(from) ?? []) {
      const [same, ...others] = names.get(nameOf(one)) ?? [];
      if (same && others.length === 0) take(one, same, 0.8 + 0.2 * overlap);
      yield;
    }
  }

  // The same name in another place, if it is unique on each side.
  const [byName, openByName] = [Map.groupBy(left, nameOf), Map.groupBy(open, nameOf)];
  for (const [name, [one, ...others]] of byName) {
    const [same, ...more] = openByName.get(name) ?? [];
    if (one && same && others.length === 0 && more.length === 0 && isTelling(one.key.name))
      take(one, same, 0.8);
    yield;
  }

  // Another name in the same place, or in the place to which the suite moved.
  const placesOf = new Map(places.map(({ from, to }) => [from, to]));
  const openByPlace = Map.groupBy(open, placeOf);
  for (const [place, ones] of Map.groupBy(left, placeOf)) {
    const there = [
      ...(openByPlace.get(place) ?? []),
      ...(openByPlace.get(placesOf.get(place) ?? place) ?? []),
    ];
    const others = [...new Set(there)];
    if (ones.length > comparedAtMost || others.length > comparedAtMost) continue;
    for (const pair of yield* bestPairs(ones, others)) take(pair.from, pair.to, pair.similarity);
  }
  return found.toSorted((a, b) => b.similarity - a.similarity);
}

/** A single word, e.g. "works", is the name of many tests. */
const isTelling = (name: string) => name.length >= 8;

interface MovedSuite {
  readonly from: string;
  readonly to: string;
  /** The share of its names that reappear. */
  readonly overlap: number;
}

/** Suites that vanished and reappeared under another name with most of their tests. */
function* movedSuites(
  vanished: readonly RenameCandidate[],
  appeared: readonly RenameCandidate[],
): Generator<void, readonly MovedSuite[]> {
  const [from, to] = [Map.groupBy(vanished, placeOf), Map.groupBy(appeared, placeOf)];
  const placesOfName = new Map<string, string[]>();
  for (const [place, ones] of to)
    for (const one of ones) {
      const known = placesOfName.get(nameOf(one));
      if (known) known.push(place);
      else placesOfName.set(nameOf(one), [place]);
      yield;
    }
  const candidates: MovedSuite[] = [];
  for (const [place, ones] of from) {
    if (to.has(place)) continue;
    const shared = new Map<string, number>();
    for (const one of ones) {
      for (const other of (placesOfName.get(nameOf(one)) ?? []).slice(0, comparedAtMost))
        shared.set(other, (shared.get(other) ?? 0) + 1);
      yield;
    }
    for (const [other, count] of shared) {
      const overlap = count / Math.max(ones.length, to.get(other)?.length ?? 0);
      if (overlap >= suiteOverlap && count >= 2 && !from.has(other))
        candidates.push({ from: place, to: other, overlap });
    }
  }
  const takenFrom = new Set<string>();
  const takenTo = new Set<string>();
  return candidates
    .toSorted((a, b) => b.overlap - a.overlap)
    .filter((one) => {
      if (takenFrom.has(one.from) || takenTo.has(one.to)) return false;
      takenFrom.add(one.from);
      takenTo.add(one.to);
      return true;
    });
}

/** The two best pairs of each key on one side. */
class Best<K> {
  readonly #best = new Map<K, { first: number; second: number }>();

  note(key: K, similarity: number): void {
    const known = this.#best.get(key) ?? { first: 0, second: 0 };
    const [first, second] =
      similarity > known.first
        ? [similarity, known.first]
        : [known.first, Math.max(known.second, similarity)];
    this.#best.set(key, { first, second });
  }

  /** Whether this is the best pair, and the second best is clearly worse. */
  isClear(key: K, similarity: number): boolean {
    const known = this.#best.get(key);
    return known !== undefined && similarity === known.first && known.second <= similarity - margin;
  }
}

/** Pairs that are clearly the best for both sides. */
function* bestPairs<V extends RenameCandidate, A extends RenameCandidate>(
  ones: readonly V[],
  others: readonly A[],
): Generator<void, ReadonlyArray<Rename<V, A>>> {
  const pairs: Array<Rename<V, A>> = [];
  const [bestOf, bestFor] = [new Best<V>(), new Best<A>()];
  for (const from of ones)
    for (const to of others) {
      const similarity = similarityOf(from, to);
      bestOf.note(from, similarity);
      bestFor.note(to, similarity);
      if (similarity >= offeredFrom) pairs.push({ from, to, similarity });
      yield;
    }
  return pairs.filter(
    ({ from, to, similarity }) => bestOf.isClear(from, similarity) && bestFor.isClear(to, similarity),
  );
}

/**
 * The similarity of keys in one place. A case that got its first parameters, or lost its last, is the same test; different parameters mean
 * a different test.
 */
function similarityOf(from: RenameCandidate, to: RenameCandidate): number {
  const [a, b] = [from.key, to.key];
  if (a.name === b.name) return a.suffix !== '' && b.suffix !== '' ? 0 : 0.9;
  return a.suffix === b.suffix ? similarityOfNames(a.name, b.name) : 0;
}
