import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../command.ts';
import { root } from '../checkout.ts';
import type { SdkEntry } from './sdk-entry.ts';

/** A package that public types may name: an app that imports `trivet-sdk/react` has it. */
const knownPackages = new Set(['react']);

const importPattern = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\2/g;

/**
 * The declarations that an app reads: those of the entries and all that they reach, once for `import` (`.d.ts`) and once for `require`
 * (`.d.cts`), by path in sdk/dist. A bundler of declarations would need the JavaScript API of the compiler, which TypeScript 7 lacks.
 */
export async function sdkTypes(entries: readonly SdkEntry[]): Promise<ReadonlyMap<string, string>> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist', '.sdk-types-'));
  try {
    const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', '.'];
    await run(['node_modules/.bin/tsc', '-p', 'sdk', ...flags, '--outDir', folder], { cwd: root });
    const reached = new Map<string, string>();
    const reach = (path: string, through: readonly string[]) => {
      if (reached.has(path)) return;
      const text = readFileSync(join(folder, path), 'utf8');
      reached.set(path, text);
      const here = [...through, path];
      for (const target of importedBy(here, text)) reach(target, here);
    };
    for (const { source } of entries) reach(declarationOf(source), []);
    const written = new Map<string, string>();
    for (const [path, text] of [...reached].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      written.set(`types/${path}`, importing(text, '.js'));
      written.set(`types/${path.replace(/\.ts$/, '.cts')}`, importing(text, '.cjs'));
    }
    for (const { name, source, values } of entries) {
      const place = `./types/${source.replace(/\.tsx?$/, '')}`;
      const text = (from: string) =>
        `export type * from '${from}';\nexport { ${values.join(', ')} } from '${from}';\n`;
      written.set(`${name}.d.ts`, text(`${place}.js`));
      written.set(`${name}.d.cts`, text(`${place}.cjs`));
    }
    return written;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const declarationOf = (source: string) => source.replace(/\.tsx?$/, '.d.ts');

/** The declarations that one imports. @throws Error for a package, because the SDK has no dependencies. */
function importedBy(through: readonly string[], text: string): readonly string[] {
  const path = through.at(-1) ?? '';
  return [...text.matchAll(importPattern)].flatMap(([, , , name = '']) => {
    if (name.startsWith('.')) return [declarationOf(join(dirname(path), name))];
    if (knownPackages.has(name) || name.startsWith('react/')) return [];
    throw new Error(
      `A public type of the SDK needs the package ${name}: ${through.join(' → ')}. ` +
        'Move the type into a file without packages (as modules/cta/rules/outcome.ts).',
    );
  });
}

/** Node's rules for ESM and CJS want the extension of the code, which TypeScript maps to that of the declaration. */
const importing = (text: string, extension: '.js' | '.cjs') =>
  text.replaceAll(importPattern, (whole, before: string, quote: string, name: string) =>
    name.startsWith('.') ? `${before}${quote}${name.replace(/\.tsx?$/, extension)}${quote}` : whole,
  );
