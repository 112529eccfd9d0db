import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const root = join(import.meta.dir, '..');

export interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
}

/** The text of a file without comment lines: an import in an example does not count. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\*|\/\/).*$/gm, '');

/** What files import, types and `import()` included. */
export const importsOf = (files: readonly string[]): readonly Import[] =>
  files.flatMap((from) =>
    [...codeOf(from).matchAll(/(?:from|import|import\()\s*'([^']+)'/g)].map(([, name = '']) => ({
      from,
      to: name.startsWith('.') ? relative(root, join(root, dirname(from), name)) : name,
    })),
  );
