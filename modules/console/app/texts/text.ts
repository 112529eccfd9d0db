/*
 * Every text that a person reads passes here. The English text is its own key, so the sources read as the screen does; a catalogue,
 * `<language>.json`, gives its translation. It is set once, before the app is loaded: another language is another load of the page.
 */

/** A text, or a text by plural category (`one`, `few`, `other`), as `Intl.PluralRules` names them. */
export type Translation = string | Readonly<Record<string, string>>;
export type TextCatalogue = Readonly<Record<string, Translation>>;

let language = 'en';
let translated: (key: string) => Translation | undefined = () => undefined;
let plural = new Intl.PluralRules('en');

/** @param tag BCP 47, e.g. "de". @param of the translation of a text; undefined: it stays English. */
export function setTexts(tag: string, of: (key: string) => Translation | undefined): void {
  language = tag;
  plural = new Intl.PluralRules(tag);
  translated = of;
}

/** For `Intl`: English dates are those of Britain, the day before the month, as everywhere else. */
export const locale = (): string => (language.startsWith('en') ? 'en-GB' : language);

/** Whether nouns are small letters within a sentence. In German they are not. */
export const inSentence = (text: string): string =>
  language.startsWith('en') ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** With a capital letter. */
export const startOfSentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type Values = Readonly<Record<string, string | number | null | undefined>>;

/** "Open##adjective" and "Open##verb" are two texts in other languages; a person sees what stands before. */
const shown = (key: string): string => key.split('##', 1)[0] ?? key;

/** The text of a key, without its values. */
export function translatedText(key: string): string {
  const found = translated(key);
  return typeof found === 'string' ? found : shown(key);
}

/** e.g. `t('{name} was created.', { name })`. The key is a literal: the list of texts is read from the sources. */
export const t = (key: string, values?: Values): string =>
  values === undefined
    ? translatedText(key)
    : translatedText(key).replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
        name in values ? String(values[name]) : whole,
      );

/** The noun of an amount, e.g. "test", "tests"; undefined where the language has no text for it. */
export function pluralText(count: number, one: string): string | undefined {
  const found = translated(`# ${one}`);
  if (found === undefined || typeof found === 'string') return undefined;
  return found[plural.select(count)] ?? found['other'];
}

/** The text of a table for a word of the server; a word that it lacks, e.g. of a newer server or a plugin, stays as it is. */
export const wordIn = (table: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(table, word) ? table[word] : undefined) ?? word;

/** A singular and a plural, in English. Made by {@link noun} alone: two texts that only stand side by side are not translated. */
export interface Noun {
  readonly kind: 'noun';
  readonly one: string;
  readonly several: string;
}

/** Marks a singular and a plural as a text to translate. @returns both, in English. */
export const noun = (one: string, several = `${one}s`): Noun => ({ kind: 'noun', one, several });

/** The bare plural of a noun in this language, e.g. "members". */
export const manyText = ({ one, several }: Noun): string =>
  pluralText(0, one)?.replace('#', '').trim() ?? several;

/** The bare singular of a noun in this language, e.g. "member". */
export const oneText = ({ one }: Noun): string => pluralText(1, one)?.replace('#', '').trim() ?? one;
