/*
 * A search ignores case. Both engines lower the letters of ASCII quickly and alike, but not those beyond: these are replaced one by one, and
 * only those that the searched text has. Letter by letter, without regard to those beside it: a part of a text is then also a part of the
 * folded text.
 */

/** The capital of a small letter beyond ASCII whose other case is one letter, too; undefined for any other character. */
function capitalOf(letter: string): string | undefined {
  const capital = letter.toUpperCase();
  return capital !== letter && capital.length === letter.length && capital.toLowerCase() === letter
    ? capital
    : undefined;
}

/** A small letter with two forms: the last of a word has its own. */
const [sigma, lastSigma] = ['σ', 'ς'];

const foldedLetter = (letter: string): string => {
  if (letter === lastSigma) return sigma;
  const small = letter.toLowerCase();
  return capitalOf(small) === letter ? small : letter;
};

/** A text with the small letters of A to Z. */
export const foldedAscii = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A text with the small letter of each capital. */
export const folded = (text: string): string =>
  foldedAscii(text).replaceAll(/[\u0080-\u{10ffff}]/gu, foldedLetter);

/**
 * Spellings of a text by which a server of an earlier version, which ignores the case of ASCII only, has marked what contains it: as typed,
 * small, in capitals, and with capitals at the beginning of the text or of each word. Others are rare, and only found after the next change.
 */
export function formerSpellings(text: string): readonly string[] {
  const small = text.toLowerCase();
  const beginning = (first: RegExp) => small.replaceAll(first, (letter) => letter.toUpperCase());
  const all = [text, small, text.toUpperCase(), beginning(/^./gu), beginning(/(?<!\p{L})\p{L}/gu)];
  return [...new Set(all.map(foldedAscii))];
}

/** More letters than an alphabet has are no word: then the case of letters beyond ASCII counts. Each one costs a replacement in every text. */
const mostPairs = 64;

interface CasePair {
  readonly small: string;
  readonly capital: string;
}

/** A text to search for. */
interface SearchedText {
  /** In small letters. */
  readonly small: string;
  /** The letters to replace in the searched texts, beyond ASCII, each once. */
  readonly pairs: readonly CasePair[];
}

export function searchedText(text: string): SearchedText {
  const letters = new Set(folded(text).match(/[\u0080-\u{10ffff}]/gu));
  const pairs = [...letters].flatMap((small) => {
    const capital = capitalOf(small);
    const pair = capital === undefined ? [] : [{ small, capital }];
    return small === sigma ? [...pair, { small, capital: lastSigma }] : pair;
  });
  return pairs.length > mostPairs ? { small: foldedAscii(text), pairs: [] } : { small: folded(text), pairs };
}

/** Whether a text is another one, whatever its case: as both engines compare by {@link searchedText}. */
export function textEquals(text: string): (other: string) => boolean {
  const { small, pairs } = searchedText(text);
  return (other) =>
    pairs.reduce((whole, pair) => whole.replaceAll(pair.capital, pair.small), foldedAscii(other)) === small;
}
