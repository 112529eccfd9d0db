/**
 * ` Did you mean "get-tests"?` with a space before it, or an empty text when no known name is close.
 * @param find {@link nearestWord} for Trivet's own words.
 */
export function didYouMean(
  given: string,
  known: readonly string[],
  show = (name: string) => `"${name}"`,
  find = nearest,
): string {
  const close = find(given, known);
  return close === undefined ? '' : ` Did you mean ${show(close)}?`;
}

/** The known name that a mistyped one most likely meant, or undefined when none is close (edit distance ≤ a third). */
export function nearest(given: string, known: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

/**
 * {@link nearest}, or else the only word that starts or ends with the given one, or that the given one starts with: `name` for `testName`,
 * `weekly` for `week`. Only for Trivet's own words, e.g. parameters: for the name of a record such a match would be a guess.
 */
export function nearestWord(given: string, known: readonly string[]): string | undefined {
  const close = nearest(given, known);
  const word = given.toLowerCase();
  if (close !== undefined || word.length < shortestPart || word.length > 64) return close;
  const [only, ...others] = known.filter((name) => isPart(word, name.toLowerCase()));
  return others.length === 0 ? only : undefined;
}

/** The minimum length: a shorter word is part of too many names. */
const shortestPart = 4;

const isPart = (word: string, name: string): boolean =>
  name.startsWith(word) || name.endsWith(word) || (name.length >= shortestPart && word.startsWith(name));

/**
 * Optimal string alignment distance: an insertion, deletion, replacement or swap of two neighbours costs one (`prot` for `port`). Only the
 * first 64 characters are compared.
 */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 64);
  const b = right.slice(0, 64);
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const cost = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replace = cost(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? cost(i - 2, j - 2) + 1 : Infinity;
      row[j] = Math.min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, replace, swap);
    }
  }
  return cost(a.length, b.length);
}
