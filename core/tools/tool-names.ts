import { nearest } from '../text/nearest-word.ts';

/*
 * Finds the tool that an unknown name most likely means. Letters alone mislead: by them `delete-project` is close to
 * `create-project`. So words are compared, in any order, and the verb is never replaced by another one.
 */

/** Only the first words of a name are compared. */
const maxWords = 8;
/** How many tools about the same thing are listed. */
const shownTools = 8;

const wordsOf = (name: string): string[] =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** `tests` and `test` are the same word. */
const singular = (word: string): string =>
  word.replace(/ies$/, 'y').replace(/(?<=s)ses$|(?<=[^su])s$/, (end) => (end === 's' ? '' : 's'));

/** Synonyms for the things that tools are named after. */
const synonyms: Readonly<Record<string, string>> = {
  organization: 'org',
  organisation: 'org',
  team: 'squad',
  suite: 'section',
  folder: 'section',
  tag: 'label',
};

const setOf = (name: string): ReadonlySet<string> => new Set(wordsOf(name).map(singular));

/** Verbs at the start of tool names. `run` and `lock` are things here: `run-lock`. */
const verbs = new Set(
  'get list read show add create make edit update change set delete remove bulk all import download upload'.split(
    ' ',
  ),
);

/** Other words for `get`. */
const readings = new Set(['list', 'show', 'read', 'find', 'search', 'fetch']);

const equal = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && a.isSubsetOf(b);

interface Likely {
  readonly meant?: string;
  /** If no tool matches: the tools about the same thing. */
  readonly about?: { readonly thing: string; readonly tools: readonly string[] };
}

export function likelyTools(name: string, known: readonly string[]): Likely {
  const sets = known.map((tool) => ({ tool, words: setOf(tool) }));
  const vocabulary = [...new Set(sets.flatMap(({ words }) => [...words]))];
  const given = wordsOf(name)
    .slice(0, maxWords)
    .map(singular)
    .map((word) => (vocabulary.includes(word) ? word : (synonyms[word] ?? word)));
  const words = new Set(
    given.map((word) => (vocabulary.includes(word) ? word : (slip(word, vocabulary) ?? word))),
  );
  if (words.size === 0) return {};

  const [verb = '', ...rest] = words;
  const got = new Set(['get', ...rest]);
  const read = readings.has(verb) && sets.find((one) => equal(one.words, got));
  if (read) return { meant: read.tool };
  const same = sets.find((one) => equal(one.words, words));
  if (same) return { meant: same.tool };
  const longer = sets
    .filter((one) => words.size > 1 && words.isSubsetOf(one.words))
    .toSorted((a, b) => a.words.size - b.words.size)[0];
  if (longer) return { meant: longer.tool };
  const shorter = sets
    .filter((one) => one.words.size > 1 && one.words.isSubsetOf(words))
    .toSorted((a, b) => b.words.size - a.words.size)[0];
  if (shorter) return { meant: shorter.tool };

  const things = [...words].filter((word) => vocabulary.includes(word) && !verbs.has(word));
  const tools = sets.filter((one) => things.length > 0 && things.every((thing) => one.words.has(thing)));
  // Fewest words first: `get-projects` before `update-project-status` before tools of other things.
  const plainest = tools.toSorted((a, b) => a.words.size - b.words.size).slice(0, shownTools);
  if (plainest.length > 0) {
    return { about: { thing: things.join(' '), tools: plainest.map(({ tool }) => tool) } };
  }
  const close = nearest(name, known);
  return close === undefined ? {} : { meant: close };
}

/** The known word of a typing mistake. Short words have too many neighbours: `get` is not `set`. */
const slip = (word: string, vocabulary: readonly string[]): string | undefined =>
  word.length < 4
    ? undefined
    : nearest(
        word,
        vocabulary.filter((one) => Math.abs(one.length - word.length) < 2 && one.length > 3),
      );
