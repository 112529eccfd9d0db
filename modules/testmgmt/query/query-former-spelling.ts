import { foldedAscii } from '../../../core/text/letter-case.ts';

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
