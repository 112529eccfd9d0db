import { join } from 'node:path';
import subsetFont from 'subset-font';
import type { PackedFile } from '../../../core/http/answer/file-pack.ts';

/*
 * The typeface of the console: Inter (SIL Open Font License 1.1), variable in weight, part of the executable, so that all machines show the
 * same. A browser loads the files of the scripts that a page shows. Other scripts use the typefaces of the system.
 */

const packageFiles = 'node_modules/@fontsource-variable/inter/files';
const folder = join(import.meta.dir, '..', '..', '..', packageFiles);

interface Script {
  /** The file `inter-NAME-wght-normal.woff2` of the package. */
  readonly name: string;
  /** A value of `unicode-range`. */
  readonly range: string;
  /** Cut from the file: the rest of it is not used. */
  readonly cut?: string;
}

/** Latin Extended-A and the capital ß: the languages of Europe. The whole file has 85 kB, mostly for phonetics and Vietnamese. */
const extendedLatin = String.fromCodePoint(...Array.from({ length: 0x80 }, (_, at) => 0x100 + at), 0x1e9e);

const scripts: readonly Script[] = [
  {
    name: 'latin',
    range:
      'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  },
  { name: 'latin-ext', range: 'U+0100-0130,U+0132-0151,U+0154-017F,U+1E9E', cut: extendedLatin },
  { name: 'greek', range: 'U+0370-0377,U+037A-037F,U+0384-038A,U+038C,U+038E-03A1,U+03A3-03FF' },
  { name: 'cyrillic', range: 'U+0301,U+0400-045F,U+0490-0491,U+04B0-04B1,U+2116' },
];

/** The part of a file's name that changes with its content. */
export const fileNameHash = (bytes: Uint8Array): string => Bun.hash.wyhash(bytes).toString(36).slice(0, 8);

/** @param path under which the files are served. */
export async function typefaceFiles(path: string): Promise<{
  readonly style: Uint8Array;
  readonly fonts: readonly PackedFile[];
  /** The files of the package, by their path in the checkout: their licence belongs to what contains them. */
  readonly sources: readonly string[];
}> {
  const made = await Promise.all(
    scripts.map(async ({ name, range, cut }) => {
      const whole = await Bun.file(join(folder, `inter-${name}-wght-normal.woff2`)).bytes();
      const bytes =
        cut === undefined
          ? whole
          : new Uint8Array(await subsetFont(Buffer.from(whole), cut, { targetFormat: 'woff2' }));
      return {
        range,
        file: { name: `inter-${name}-${fileNameHash(bytes)}.woff2`, type: 'font/woff2', bytes },
      };
    }),
  );
  const rules = made.map(
    ({ range, file }) =>
      `@font-face{font-family:Inter;src:url(${path}${file.name}) format("woff2");font-weight:100 900;font-display:swap;unicode-range:${range}}`,
  );
  return {
    style: new TextEncoder().encode(rules.join('\n')),
    fonts: made.map(({ file }) => file),
    sources: scripts.map(({ name }) => `${packageFiles}/inter-${name}-wght-normal.woff2`),
  };
}
