import type { Catalogue } from './text.ts';

/** Loads the catalogue of a language. Written by release/text-files.ts from the files beside it. */
export const catalogues: Readonly<Record<string, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import('./de.json'),
};
