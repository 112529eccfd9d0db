import { folded } from '../../../core/text/letter-case.ts';

/*
 * Shows which tests may contain a word, without reading their texts: each three consecutive letters in the texts of a test set one of 576
 * marks. A text can contain a word only if it has the marks of all its letter triples. With 400 characters of text a third of the marks is
 * set, so a word of six letters has to be looked up in one of a hundred tests that do not contain it.
 */

/** Numbers per test. Each holds as many marks as fit into six bytes. */
export const markColumns = 12;
const marksPerColumn = 48;

/**
 * The keys of a step as they occur in stored JSON, with the word of each. A search ignores them: "action" must not find every test with
 * steps.
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

function* threesOf(small: string): Generator<number> {
  for (let at = 0; at + 2 < small.length; at++) yield markOf(small, at);
}

/** The marks of texts, in {@link markColumns} numbers. */
export const marksOf = (texts: readonly string[], fold = folded): number[] =>
  numbersOf(new Set(texts.flatMap((text) => [...threesOf(fold(text))])));

/**
 * The marks of a test if one of its texts contains the word, either plainly or within JSON: characters that JSON escapes are left out. All
 * 0 for a word without three consecutive letters.
 */
export const marksOfWord = (word: string, fold = folded): number[] =>
  // eslint-disable-next-line no-control-regex
  marksOf(word.split(/["\\\u0000-\u001f\ud800-\udfff]/), fold);
