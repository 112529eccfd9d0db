import { storedText, storeText } from '../api/browser-store.ts';
import { catalogues } from '../texts/catalogues.ts';
import { pseudoTag, pseudoText } from '../texts/pseudo-text.ts';
import { setTexts, type Catalogue } from '../texts/text.ts';

const key = 'trivet-language';

/** The languages that there is a catalogue of; English is in the sources. */
export const languages: readonly string[] = ['en', ...Object.keys(catalogues)];

/** The name of a language in itself, e.g. "Deutsch". */
export const languageName = (tag: string): string =>
  new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** The chosen language; null: as the browser says. */
export const chosenLanguage = (): string | null => storedText(key) ?? null;

/**
 * The language to show: the chosen one, else the first of the browser's that there is a catalogue of, else English.
 * @param preferred BCP 47 tags in the browser's order, e.g. ["de-AT", "en"].
 */
export function languageOf(chosen: string | null, preferred: readonly string[]): string {
  if (chosen === pseudoTag) return chosen;
  const wanted = [...(chosen === null ? [] : [chosen]), ...preferred];
  for (const tag of wanted) {
    const found = languages.find((one) => one === tag || one === tag.split('-')[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

/** Stores the choice and loads the page again, in the language. @param tag null: as the browser says. */
export function chooseLanguage(tag: string | null): void {
  storeText(key, tag ?? '');
  location.reload();
}

/** Before the app is loaded: its modules ask for texts while they are loaded. A catalogue that does not come leaves English. */
export async function startLanguage(): Promise<void> {
  const tag = languageOf(chosenLanguage(), navigator.languages);
  document.documentElement.lang = tag === pseudoTag ? 'en' : tag;
  if (tag === pseudoTag) setTexts(tag, pseudoText);
  const load = catalogues[tag];
  if (!load) return;
  const catalogue: Catalogue | undefined = await load().then(
    (module) => module.default,
    () => undefined,
  );
  if (catalogue) setTexts(tag, (text) => catalogue[text]);
}
