import type { TextCatalogue } from './text.ts';

/** Loads the catalogue of a language. Written by release/text-files.ts from the files beside it. */
export const textCatalogues: Readonly<Record<string, () => Promise<{ readonly default: TextCatalogue }>>> = {
  de: () => import('./de.json'),
};
