import { join, relative } from 'node:path';
import { catalogueOf } from './text-catalogue.ts';

/*
 * Writes the English catalogue of the console, `texts/en.json`, from the sources, and the list of catalogues. `npm run generate` calls it.
 * A new language is a copy of en.json with its texts translated.
 */

const folder = join(import.meta.dir, '..', 'modules', 'console', 'app');
const texts = join(folder, 'texts');
await Bun.write(join(texts, 'en.json'), `${JSON.stringify(await catalogueOf(folder), null, 2)}\n`);

const languages = [...new Bun.Glob('*.json').scanSync(texts)]
  .map((name) => name.replace(/\.json$/, ''))
  .filter((tag) => tag !== 'en')
  .toSorted();
await Bun.write(
  join(texts, 'catalogues.ts'),
  `import type { TextCatalogue } from './text.ts';

/** Loads the catalogue of a language. Written by ${relative(join(folder, '..', '..', '..'), import.meta.path)} from the files beside it. */
export const textCatalogues: Readonly<Record<string, () => Promise<{ readonly default: TextCatalogue }>>> = {
${languages.map((tag) => `  ${/^[a-z]+$/.test(tag) ? tag : `'${tag}'`}: () => import('./${tag}.json'),`).join('\n')}
};
`,
);
