/** Words that reverse the meaning of a name. */
const negation =
  /^(?:not|no|never|without|cannot|invalid|fails?|(?:do|does|did|is|are|was|were|wo|ca|should|would|could|has|have|must)nt)$/;
/**
 * Words with an opposite, without their endings. A different word of this set means a different test, e.g. "creates a user account" and
 * "deletes a user account".
 */
const decisive = new Set(
  (
    'add remov creat delet insert updat drop open clos enabl disabl show hid lock unlock accept reject allow den permit forbid ' +
    'login logout signin signout start stop begin end increas decreas success failur first last min max minimum maximum befor after ' +
    'empt full get set put post patch push pop import export upload download encod decod encrypt decrypt read writ buy sell send receiv ' +
    'connect disconnect attach detach subscrib unsubscrib install uninstall expand collaps check uncheck select deselect sync async ' +
    'true false left right up down inner outer admin member reader guest pass fail valid'
  ).split(' '),
);

/** Numbers as words. "One" is not included: "adds an item" and "adds one item" are the same. */
const numerals = new Set(
  'zero two three four five six seven eight nine ten second third fourth fifth'.split(' '),
);

/** Words in test names that people interchange without changing the meaning, each mapped to its representative. Without their endings. */
const synonyms = new Map(
  [
    'remov delet eras',
    'show display render',
    'reject refus declin',
    'throw rais',
    'fail break',
    'begin start',
    'end stop finish',
    'login signin',
    'logout signout',
    'cart basket',
  ].flatMap((line) => line.split(' ').map((word, _at, [first = '']) => [word, first] as const)),
);

const stem = (word: string): string => {
  const stemmed = word.replace(/(?:ies|ied|es|ed|ing|e|s|y)$/, '');
  return synonyms.get(stemmed) ?? stemmed;
};

/** The representative of words with the same meaning; other words are unchanged. */
const canonical = (word: string): string => {
  const stemmed = stem(word);
  return synonyms.has(stemmed) ? stemmed : word;
};

/** The position of a test in a list, e.g. "2. " or "03 - ". It changes when a test is inserted before it. */
const ordinal = /^\(?\d+(?:[.):]|\s+-)\s+/;

/** Words that say nothing about what is tested. */
const fillers = new Set([
  'test',
  'tests',
  'should',
  'it',
  'the',
  'a',
  'an',
  'that',
  'to',
  'is',
  'be',
  'of',
  'and',
]);

interface NameWords {
  readonly words: readonly string[];
  readonly numbers: string;
  /** The words with an opposite, without their endings. */
  readonly decisive: ReadonlySet<string>;
  readonly negated: boolean;
}

/** `testAddsAnItem`, `test_adds_an_item` and `adds an item` have the same words. */
function wordsOf(name: string): NameWords {
  const all = name
    .replace(ordinal, '')
    .replace(/n['’]t\b/gi, 'nt')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const words = all.filter((word) => !fillers.has(word));
  return {
    words: words.length > 0 ? words : all,
    numbers: all.filter((word) => /\d/.test(word) || numerals.has(word)).join(' '),
    decisive: new Set(all.map(stem).filter((word) => decisive.has(word))),
    negated: all.filter((word) => negation.test(word)).length % 2 === 1,
  };
}

/** Pairs of neighbouring letters: "item" and "items" share most of theirs. */
function letterPairs(word: string): readonly string[] {
  const letters = [...word];
  if (letters.length < 2) return letters;
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

function dice(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of a) counts.set(one, (counts.get(one) ?? 0) + 1);
  let shared = 0;
  for (const one of b) {
    const left = counts.get(one) ?? 0;
    if (left === 0) continue;
    shared++;
    counts.set(one, left - 1);
  }
  return a.length + b.length === 0 ? 0 : (2 * shared) / (a.length + b.length);
}

/** Whether one name contains a word of the other with the prefix "in" or "un". */
const hasOpposite = (words: readonly string[], others: readonly string[]): boolean =>
  words.some((word) => {
    const rest = /^(?:in|un|im|ir|non|dis)(.{3,})$/.exec(word)?.[1];
    return rest !== undefined && others.includes(rest) && !others.includes(word) && !words.includes(rest);
  });

/** The maximum for names that each have a word of their own: it may be the tested subject, "sorts by name" and "sorts by date". */
const doubtfulAtMost = 0.69;

/** Words of one name that the other does not have in any similar form. */
const onlyIn = (words: readonly string[], others: readonly string[]): readonly string[] =>
  words.filter(
    (word) =>
      !others.some(
        (other) => stem(word) === stem(other) || dice(letterPairs(word), letterPairs(other)) >= 0.7,
      ),
  );

/**
 * The similarity of two names, 0 to 1. Different numbers, or a "not" in only one of them, make them different tests, however similar the
 * letters are: "accepts 3 items" and "accepts 4 items", "is allowed" and "is not allowed".
 */
export function similarityOfNames(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  if (a.numbers !== b.numbers || a.negated !== b.negated) return 0;
  const [onlyA, onlyB] = [a.decisive.difference(b.decisive), b.decisive.difference(a.decisive)];
  if (onlyA.size > 0 && onlyB.size > 0) return 0;
  if (hasOpposite(a.words, b.words) || hasOpposite(b.words, a.words)) return 0;
  if (a.words.join(' ') === b.words.join(' ')) return 0.95;
  const [wordsA, wordsB] = [a.words.map(canonical), b.words.map(canonical)];
  if (wordsA.join(' ') === wordsB.join(' ')) return 0.9;
  const words = dice(wordsA, wordsB);
  const letters = dice(a.words.flatMap(letterPairs), b.words.flatMap(letterPairs));
  const similarity = 0.95 * Math.max(words, (words + letters) / 2, letters >= 0.85 ? letters : 0);
  const isDoubtful = onlyIn(a.words, b.words).length > 0 && onlyIn(b.words, a.words).length > 0;
  return isDoubtful ? Math.min(similarity, doubtfulAtMost) : similarity;
}
