/*
 * Combinations of values in which each value of each group meets each value of every other group at least once. Most faults need two
 * values to meet; all combinations of more cost far more runs (docs/decisions/planning.md).
 *
 * In-parameter-order: the two largest groups give all their pairs; each further group is added to the rows so that it covers as many open
 * pairs as possible, and rows are added for the rest. Which of equally good values is taken decides the count, so several tries with fixed
 * seeds are made, and the shortest result is taken: the same groups always give the same rows.
 */

const anyValue = -1;

/** A small generator of numbers with a fixed seed (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The pairs of a new column with those before it that no row has yet. */
function openPairs(sizes: readonly number[], column: number) {
  const size = sizes[column] ?? 0;
  const open = sizes.slice(0, column).map((before) => new Uint8Array(before * size).fill(1));
  let left = open.reduce((sum, pairs) => sum + pairs.length, 0);
  const at = (value: number, added: number) => value * size + added;
  return {
    size,
    left: () => left,
    isOpen: (other: number, value: number, added: number) => open[other]?.[at(value, added)] === 1,
    /** How many open pairs a row has with a value of the new column. */
    gain: (row: readonly number[], added: number) =>
      open.reduce((sum, pairs, other) => {
        const value = row[other] ?? anyValue;
        return value === anyValue ? sum : sum + (pairs[at(value, added)] ?? 0);
      }, 0),
    cover: (row: readonly number[], added: number) => {
      for (const [other, pairs] of open.entries()) {
        const value = row[other] ?? anyValue;
        if (value === anyValue || pairs[at(value, added)] !== 1) continue;
        pairs[at(value, added)] = 0;
        left--;
      }
    },
  };
}

type Pairs = ReturnType<typeof openPairs>;

/** The value of the new column that covers most in a row; one of the best by chance. */
function bestValue(row: readonly number[], pairs: Pairs, chance: (below: number) => number): number {
  let [best, most, equal] = [0, -1, 0];
  for (let value = 0; value < pairs.size; value++) {
    const gain = pairs.gain(row, value);
    if (gain > most) [best, most, equal] = [value, gain, 1];
    else if (gain === most && chance(++equal) === 0) best = value;
  }
  return most > 0 ? best : anyValue;
}

/** Covers the pairs that are still open: in rows with room, else in new ones. */
function* coverRest(
  rows: number[][],
  pairs: Pairs,
  sizes: readonly number[],
  column: number,
): Generator<void> {
  for (let other = 0; other < column && pairs.left() > 0; other++)
    for (let value = 0; value < (sizes[other] ?? 0); value++)
      for (let added = 0; added < pairs.size; added++) {
        if (!pairs.isOpen(other, value, added)) continue;
        yield;
        const fits = (have: number | undefined, wanted: number) => have === wanted || have === anyValue;
        let row = rows.find((one) => fits(one[other], value) && fits(one[column], added));
        if (!row) rows.push((row = Array.from({ length: column + 1 }, () => anyValue)));
        row[other] = value;
        row[column] = added;
        pairs.cover(row, added);
      }
}

function* oneTry(sizes: readonly number[], seed: number): Generator<void, number[][]> {
  const chance = numbersFrom(seed);
  const rows: number[][] = [];
  for (let value = 0; value < (sizes[0] ?? 0); value++) rows.push([value]);
  for (let column = 1; column < sizes.length; column++) {
    const pairs = openPairs(sizes, column);
    for (const row of rows) {
      yield;
      const value = bestValue(row, pairs, chance);
      row[column] = value;
      if (value !== anyValue) pairs.cover(row, value);
    }
    yield* coverRest(rows, pairs, sizes, column);
  }
  return rows.map((row, index) =>
    row.map((value, at) => (value === anyValue ? index % (sizes[at] ?? 1) : value)),
  );
}

/**
 * Rows of value numbers, one of each group, that contain every pair of values of two groups. Yields where it may be interrupted.
 * @param sizes the number of values of each group, all positive.
 */
export function* pairwise(sizes: readonly number[]): Generator<void, readonly (readonly number[])[]> {
  if (sizes.length === 0) return [];
  // The largest first: their pairs are the least number of rows.
  const order = sizes.map((_, index) => index).toSorted((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  const sorted = order.map((index) => sizes[index] ?? 0);
  const least = (sorted[0] ?? 0) * (sorted[1] ?? 1);
  const tries = sizes.length > 12 ? 4 : 40;
  let best: number[][] | undefined;
  for (let seed = 1; seed <= tries && best?.length !== least; seed++) {
    const found = yield* oneTry(sorted, seed);
    if (!best || found.length < best.length) best = found;
  }
  return (best ?? []).map((row) => sizes.map((_, index) => row[order.indexOf(index)] ?? 0));
}

/** All combinations of the values of some groups, the last group changing first. */
export function everyCombination(sizes: readonly number[]): readonly (readonly number[])[] {
  let rows: readonly (readonly number[])[] = [[]];
  for (const size of sizes)
    rows = rows.flatMap((row) => Array.from({ length: size }, (_, value) => [...row, value]));
  return rows;
}
