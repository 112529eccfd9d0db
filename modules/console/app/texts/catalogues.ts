import type { Catalogue } from './text.ts';

/** Loads the catalogue of a language. Written by `npm run generate` from the files beside it. */
export const catalogues: Readonly<Record<string, () => Promise<{ readonly default: Catalogue }>>> = {
  de: () => import('./de.json'),
};
