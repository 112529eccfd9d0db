export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Pairs of lines that are compared at most: beyond that, all between the first and the last difference is shown as replaced. */
const mostPairs = 4_000_000;

/** The lines of two texts: those of a longest common subsequence are the same, the others were removed or added. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, young] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, young.length);
  let start = 0;
  while (start < shortest && old[start] === young[start]) start++;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  const lines = (kind: DiffLine['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }));
  const [gone, come] = [old.slice(start, old.length - end), young.slice(start, young.length - end)];
  const middle =
    gone.length * come.length > mostPairs
      ? [...lines('removed', gone), ...lines('added', come)]
      : middleDiff(gone, come);
  return [
    ...lines('same', old.slice(0, start)),
    ...middle,
    ...lines('same', end === 0 ? [] : old.slice(-end)),
  ];
}

function middleDiff(old: readonly string[], young: readonly string[]): readonly DiffLine[] {
  const width = young.length + 1;
  // The length of the longest common subsequence of what follows each pair of places.
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (at: number, to: number) => lengths[at * width + to] ?? 0;
  for (let at = old.length - 1; at >= 0; at--)
    for (let to = young.length - 1; to >= 0; to--)
      lengths[at * width + to] =
        old[at] === young[to]
          ? lengthAt(at + 1, to + 1) + 1
          : Math.max(lengthAt(at + 1, to), lengthAt(at, to + 1));
  const result: DiffLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < young.length) {
    const [removed, added] = [old[at], young[to]];
    if (removed !== undefined && removed === added) {
      result.push({ kind: 'same', text: removed });
      at++;
      to++;
    } else if (
      removed !== undefined &&
      (added === undefined || lengthAt(at + 1, to) >= lengthAt(at, to + 1))
    ) {
      result.push({ kind: 'removed', text: removed });
      at++;
    } else {
      result.push({ kind: 'added', text: added ?? '' });
      to++;
    }
  }
  return result;
}
