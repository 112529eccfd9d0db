/*
 * A search ignores case. Both engines lower the letters of ASCII quickly and alike, but not those beyond: these are replaced one by one, and
 * only those that the searched text has. Letter by letter, without regard to those beside it: a part of a text is then also a part of the
 * folded text. Only a pair of letters counts: the Kelvin sign is no k, whose capital is K.
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

const smallLetter = (letter: string): string => {
  const small = letter.toLowerCase();
  return capitalOf(small) === letter ? small : letter;
};

const foldedLetter = (letter: string): string => (letter === lastSigma ? sigma : smallLetter(letter));

const beyondAscii = /[\u0080-\u{10ffff}]/gu;

/** A text with the small letters of A to Z. */
export const foldedAscii = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** A text with the small letter of each capital. */
export const folded = (text: string): string => foldedAscii(text).replaceAll(beyondAscii, foldedLetter);

/**
 * Addresses with the same key are one address, and so are domains. toLowerCase would make another person's address of one with the Kelvin
 * sign (U+212A), which becomes a k: a provider that lets its users choose such an address would sign them in as somebody else.
 */
export const addressKey = (address: string): string =>
  foldedAscii(address).replaceAll(beyondAscii, smallLetter);

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
  const letters = new Set(folded(text).match(beyondAscii));
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
