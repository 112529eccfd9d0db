import type { Translation } from './text.ts';

/** The language of the test of the layout: every text is a third longer, in letters that no source has. */
export const pseudoTag = 'en-XA';

const letters: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'é',
  i: 'í',
  n: 'ñ',
  o: 'ö',
  s: 'š',
  u: 'ü',
  y: 'ý',
  A: 'Å',
  C: 'Ç',
  E: 'É',
  O: 'Ö',
  S: 'Š',
  U: 'Ü',
};

/** @returns both forms of an amount ("# test"), as a catalogue has them. */
export const pseudoTranslation = (key: string): Translation =>
  key.startsWith('# ') ? { one: pseudoText(key), other: pseudoText(`${key}s`) } : pseudoText(key);

/** e.g. "Šávé ťhé" for "Save"; names of values stay. */
function pseudoText(text: string): string {
  const accented = text
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith('{') ? part : part.replaceAll(/[a-z]/gi, (letter) => letters[letter] ?? letter),
    )
    .join('');
  const more = Math.ceil(text.replaceAll(/\{\w+\}/g, '').trim().length / 3);
  const trimmed = accented.trimEnd();
  return `${trimmed}${'~'.repeat(more)}${accented.slice(trimmed.length)}`;
}
