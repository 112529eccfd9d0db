/** A part of a merge: items of the result, or two versions of the same place. */
export type MergedPart<T> =
  | { readonly items: readonly T[]; readonly conflict?: undefined }
  | {
      readonly items?: undefined;
      readonly conflict: { readonly ours: readonly T[]; readonly theirs: readonly T[] };
    };

/** Comparisons for one pair of sequences: about 20 ms. Longer ones are compared only at their ends. */
const mostCells = 4_000_000;

/**
 * Merges two changes of a sequence (three-way, as `git merge-file` does with lines): what only one side changed is taken, the same change of
 * both once; what both changed differently at one place, or at touching places, is a conflict. Items are compared as strings.
 */
export function mergeSequences(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): ReadonlyArray<MergedPart<string>> {
  const [toOurs, toTheirs] = [matches(base, ours), matches(base, theirs)];
  const parts: MergedPart<string>[] = [];
  let [at, ourAt, theirAt] = [0, 0, 0];
  while (at < base.length || ourAt < ours.length || theirAt < theirs.length) {
    let stable = 0;
    while (
      at + stable < base.length &&
      toOurs[at + stable] === ourAt + stable &&
      toTheirs[at + stable] === theirAt + stable
    )
      stable++;
    if (stable > 0) {
      parts.push({ items: base.slice(at, at + stable) });
      [at, ourAt, theirAt] = [at + stable, ourAt + stable, theirAt + stable];
      continue;
    }
    let next = at;
    while (next < base.length && ((toOurs[next] ?? -1) < ourAt || (toTheirs[next] ?? -1) < theirAt)) next++;
    const [ourNext, theirNext] =
      next < base.length ? [toOurs[next] ?? 0, toTheirs[next] ?? 0] : [ours.length, theirs.length];
    parts.push(
      mergedPart(base.slice(at, next), ours.slice(ourAt, ourNext), theirs.slice(theirAt, theirNext)),
    );
    [at, ourAt, theirAt] = [next, ourNext, theirNext];
  }
  return parts;
}

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

function mergedPart(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): MergedPart<string> {
  if (equal(ours, theirs) || equal(theirs, base)) return { items: ours };
  if (equal(ours, base)) return { items: theirs };
  return { conflict: { ours, theirs } };
}

/** For each item of the first sequence its place in the second one, by a longest common subsequence; -1: none. */
function matches(from: readonly string[], to: readonly string[]): readonly number[] {
  const found = Array.from({ length: from.length }, () => -1);
  let begin = 0;
  while (begin < from.length && begin < to.length && from[begin] === to[begin]) found[begin] = begin++;
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > begin && toEnd > begin && from[fromEnd - 1] === to[toEnd - 1]) found[--fromEnd] = --toEnd;
  const [height, width] = [fromEnd - begin, toEnd - begin];
  if (height * width === 0 || height * width > mostCells) return found;
  const lengths = new Uint32Array((height + 1) * (width + 1));
  const cell = (row: number, column: number) => lengths[row * (width + 1) + column] ?? 0;
  for (let row = height - 1; row >= 0; row--)
    for (let column = width - 1; column >= 0; column--)
      lengths[row * (width + 1) + column] =
        from[begin + row] === to[begin + column]
          ? cell(row + 1, column + 1) + 1
          : Math.max(cell(row + 1, column), cell(row, column + 1));
  for (let [row, column] = [0, 0]; row < height && column < width;) {
    if (from[begin + row] === to[begin + column]) found[begin + row++] = begin + column++;
    else if (cell(row + 1, column) >= cell(row, column + 1)) row++;
    else column++;
  }
  return found;
}

/** The same without a base: every place where both differ is a conflict. */
export function mergeWithoutBase(
  ours: readonly string[],
  theirs: readonly string[],
): ReadonlyArray<MergedPart<string>> {
  const places = matches(ours, theirs);
  const parts: MergedPart<string>[] = [];
  let [ourAt, theirAt] = [0, 0];
  const until = (ourEnd: number, theirEnd: number) => {
    if (ourEnd > ourAt || theirEnd > theirAt)
      parts.push({ conflict: { ours: ours.slice(ourAt, ourEnd), theirs: theirs.slice(theirAt, theirEnd) } });
  };
  for (const [index, item] of ours.entries()) {
    const place = places[index] ?? -1;
    if (place < 0) continue;
    until(index, place);
    parts.push({ items: [item] });
    [ourAt, theirAt] = [index + 1, place + 1];
  }
  until(ours.length, theirs.length);
  return parts;
}

/** A line of a difference: kept, taken away or added. */
export interface DifferenceLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** The difference of two sequences, in their order; what is taken away comes before what is added at the same place. */
export function sequenceDifference(
  from: readonly string[],
  to: readonly string[],
): readonly DifferenceLine[] {
  const places = matches(from, to);
  const lines: DifferenceLine[] = [];
  let at = 0;
  for (const [index, text] of from.entries()) {
    const place = places[index] ?? -1;
    if (place < 0) lines.push({ sign: '-', text });
    else {
      for (; at < place; at++) lines.push({ sign: '+', text: to[at] ?? '' });
      lines.push({ sign: ' ', text });
      at = place + 1;
    }
  }
  for (; at < to.length; at++) lines.push({ sign: '+', text: to[at] ?? '' });
  return lines;
}
