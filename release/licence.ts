import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from './bundle.ts';
import { root } from './checkout.ts';
import { locked, type Lockfile } from './lockfile.ts';

/** A licence and the packages that it covers. */
interface Licence {
  readonly title: string;
  /** The SPDX identifier. */
  readonly id: string;
  readonly text: string;
}

/** Packages without a licence file, with the source of their text. */
const elsewhere: Readonly<Record<string, string>> = {
  // Its package.json says "Apache-2.0" and its authors "Drizzle Team". The text of that licence is the same everywhere.
  'drizzle-orm': 'node_modules/@opentelemetry/api/LICENSE',
  // The file LICENSE of github.com/lddubeau/saxes, which the package leaves out.
  saxes: 'release/licences/saxes.txt',
  // Its package.json says "Unlicense", whose text is the same everywhere.
  wouter: 'release/licences/wouter.txt',
};

/** Parts of a package under a licence other than that of the package. */
export const carried = [
  {
    name: 'Roboto',
    // The typeface names its version, its authors and its licence itself, in its table "name".
    version: '3.014',
    licence: 'OFL-1.1',
    text: 'release/licences/roboto.txt',
    file: 'node_modules/pdfmake/build/vfs_fonts.js',
    website: 'https://github.com/googlefonts/roboto-classic',
  },
] as const;

const licenceFile = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i;

/** The licences of all contained packages. @throws when one has no text: software without a licence must not be distributed. */
export async function licencesOf(bundle: Bundle, lockfile: Lockfile): Promise<readonly Licence[]> {
  const read = (path: string) => Bun.file(join(root, path)).text();
  const missing: string[] = [];
  const licences: Licence[] = [];
  for (const { path, name } of bundle.packages) {
    const { version, license = '' } = locked(lockfile, path);
    const own = readdirSync(join(root, path))
      .filter((file) => licenceFile.test(file))
      .toSorted();
    const other = elsewhere[name];
    const texts = own.length > 0 ? own.map((file) => `${path}/${file}`) : other === undefined ? [] : [other];
    if (texts.length === 0 || license === '') missing.push(`${name} ${version}`);
    const text = (await Promise.all(texts.map(read))).map((one) => one.trim()).join('\n\n');
    licences.push({ title: `${name} ${version}`, id: license, text });
  }
  if (missing.length > 0)
    throw new Error(
      `No licence text: ${missing.join(', ')}. Find it at its authors and name it in release/licence.ts.`,
    );
  for (const { name, version, licence, text, file } of carried)
    if (bundle.files.includes(file))
      licences.push({ title: `${name} ${version}`, id: licence, text: (await read(text)).trim() });
  return licences;
}

/** Bun's own note about its licence and those of the libraries that it links. */
const bunNote = 'node_modules/bun-types/docs/project/license.mdx';

/** The text of THIRD-PARTY-LICENSES.txt. */
export async function licencesText(licences: readonly Licence[]): Promise<string> {
  const note = (await Bun.file(join(root, bunNote)).text()).replace(/^---\n[\s\S]*?\n---\n/, '').trim();
  // Many packages share one text: it is printed once, below all its packages.
  const byText = Map.groupBy(licences, ({ id, text }) => `${id}\n\n${text}`);
  const rule = '='.repeat(80);
  const parts = [...byText].map(
    ([text, of]) => `${of.map(({ title }) => title).join('\n')}\n\nLicence: ${text}`,
  );
  return [
    'Trivet is one executable that contains the packages below and the runtime Bun. Trivet itself is under the',
    'MIT License (LICENSE).',
    '',
    rule,
    `Bun ${Bun.version}`,
    '',
    'Who wants to change JavaScriptCore (LGPL) makes a Bun with it, as the note below says, and an executable of Trivet',
    'from its sources with that Bun: bun build --compile-executable-path (release/executable.ts has the other flags).',
    '',
    note,
    ...parts.flatMap((part) => ['', rule, part]),
    '',
  ].join('\n');
}
