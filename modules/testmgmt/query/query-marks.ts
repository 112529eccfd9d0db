/*
 * Which tests may contain a word, without reading their texts: each three letters in a row that occur in the texts of a test set one of 576
 * marks. A text has a word only if it has the marks of all its threes. With 400 characters of text a third of the marks is set, so a word
 * of six letters is looked for in one of a hundred tests that do not have it.
 */

/** Numbers of a test, each with this many marks: what fits into six bytes. */
export const markColumns = 12;
const marksPerColumn = 48;

/** As SQL's `lower` of both engines: letters beyond ASCII stay. */
export const lowered = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * The keys of a step as they stand in stored JSON, with the word of each. A search leaves them out: "action" must not find every test
 * with steps.
 */
export const stepKeys = ['action', 'data', 'expected'].map((word) => ({ word, stored: `"${word}":` }));

const markOf = (text: string, at: number): number => {
  let hash = Math.imul(text.charCodeAt(at), 0x9e3779b1);
  hash = Math.imul((hash ^ (hash >>> 15)) + text.charCodeAt(at + 1), 0x85ebca6b);
  hash = Math.imul((hash ^ (hash >>> 13)) + text.charCodeAt(at + 2), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % (markColumns * marksPerColumn);
};

function numbersOf(marks: Iterable<number>): number[] {
  const numbers = Array.from({ length: markColumns }, () => 0);
  for (const mark of marks) {
    const column = Math.floor(mark / marksPerColumn);
    numbers[column] = (numbers[column] ?? 0) + 2 ** (mark % marksPerColumn);
  }
  return numbers;
}

function* threesOf(text: string): Generator<number> {
  const lower = lowered(text);
  for (let at = 0; at + 2 < lower.length; at++) yield markOf(lower, at);
}

/** The marks of texts, in {@link markColumns} numbers. */
export const marksOf = (texts: readonly string[]): number[] =>
  numbersOf(new Set(texts.flatMap((text) => [...threesOf(text)])));

/**
 * The marks that a test has if one of its texts contains the word, as it is or as it stands within JSON: what JSON escapes is left out.
 * All 0 for a word without three letters in a row.
 */
export const marksOfWord = (word: string): number[] =>
  // eslint-disable-next-line no-control-regex
  marksOf(word.split(/["\\\u0000-\u001f\ud800-\udfff]/));
