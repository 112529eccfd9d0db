import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toolFiles as authTools } from '../modules/auth/tools/tool-files.ts';
import { toolFiles as consoleTools } from '../modules/console/tools/tool-files.ts';
import { toolFiles as ctaTools } from '../modules/cta/tools/tool-files.ts';
import { toolFiles as testmgmtTools } from '../modules/testmgmt/tools/tool-files.ts';
import { catalogueOf, textsIn, type EnglishTexts } from './text-catalogue.ts';

const app = join(import.meta.dir, '..', 'modules', 'console', 'app');
const catalogue = (tag: string): Promise<Record<string, string | Record<string, string>>> =>
  Bun.file(join(app, 'texts', `${tag}.json`)).json();

test.each<[source: string, texts: EnglishTexts]>([
  ["t('Save')", { Save: 'Save' }],
  ['nodes(\n  "It’s {name}",\n  { name },\n)', { 'It’s {name}': 'It’s {name}' }],
  ["t('a \\'b\\' \\u0041')", { "a 'b' A": "a 'b' A" }],
  ["t('Open##verb')", { 'Open##verb': 'Open' }],
  ["countText(sum(a, 'b'), 'test')", { '# test': { one: '# test', other: '# tests' } }],
  ["countText(1, 'entry', 'entries')", { '# entry': { one: '# entry', other: '# entries' } }],
  [
    "doneText(n, 'test', 'moved')",
    { '# test was moved': { one: '# test was moved', other: '# tests were moved' } },
  ],
  ["noun('key')", { '# key': { one: '# key', other: '# keys' } }],
  ["const assert('x'); import('y'); put('z')", {}],
  ['countText(total, ...of)', {}],
])('%j', (source, texts) => expect(textsIn('a.ts', source)).toEqual(texts));

test.each(['t(name)', 't(`Save ${name}`)', 'nodes(text, {})'])('%s cannot be listed', (source) =>
  expect(() => textsIn('a.ts', source)).toThrow('is no literal text'),
);

test('a value that nobody gives is found', () =>
  expect(() => textsIn('a.ts', "t('{a} and {b}', { a, c: 1 })")).toThrow('nobody gives {b}'));

test('en.json lists the texts of the sources', async () => {
  const texts = await catalogueOf(app);
  expect(Object.keys(texts).length).toBeGreaterThan(1_500);
  expect((await catalogue('en')) as EnglishTexts).toEqual(texts);
});

/* Words of programs mean nothing to a marketer. A page is scanned too (test/console/every-page.test.ts), but not every dialog is open. */
test('no text names a tool, a header or a table', async () => {
  const tools = [authTools, consoleTools, ctaTools, testmgmtTools].flatMap((files) =>
    files.flatMap(({ tools: own }) => own.map(({ name }) => name)),
  );
  expect(tools.length).toBeGreaterThan(90);
  // Names of one word, such as "search", are ordinary words.
  const named = new RegExp(`\\b(?:${tools.filter((name) => name.includes('-')).join('|')})\\b`);
  const isOfPrograms = (text: string) => named.test(text) || /\bx-[a-z]|\b(?:auth|cta|testmgmt)_/.test(text);
  expect(isOfPrograms('as set-user-attributes stored them')).toBe(true);
  expect(Object.keys(await catalogue('en')).filter(isOfPrograms)).toEqual([]);
});

const others = readdirSync(join(app, 'texts')).flatMap((name) =>
  name.endsWith('.json') && name !== 'en.json' ? [name.replace('.json', '')] : [],
);
test('German is there', () => expect(others).toContain('de'));

const namesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name);
const spaces = (text: string) => [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]];

/** Values that a translation may use though the English does not: the call gives them. */
const alsoGiven: Readonly<Record<string, readonly string[]>> = { 'No {singular} yet': ['{plural}'] };

test.each(others)('%s has each text once, with its values, its spaces and its plural forms', async (tag) => {
  const [english, translated] = [await catalogue('en'), await catalogue(tag)];
  expect(Object.keys(translated).filter((key) => !(key in english))).toEqual([]);
  expect(Object.keys(english).filter((key) => !(key in translated))).toEqual([]);
  const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const wrong = Object.entries(english).flatMap(([key, of]) => {
    const text = translated[key];
    if (typeof of === 'string') {
      if (typeof text !== 'string' || text.trim() === '') return [`${key}: must be a text`];
      const given = new Set([...namesIn(of), ...(alsoGiven[key] ?? [])]);
      const unknown = namesIn(text).filter((name) => !given.has(name));
      const left = namesIn(of).filter((name) => !text.includes(name) && alsoGiven[key] === undefined);
      return [
        ...(unknown.length > 0 ? [`${key}: nobody gives ${unknown.join(', ')}`] : []),
        ...(left.length > 0 ? [`${key}: lacks ${left.join(', ')}`] : []),
        ...(Bun.deepEquals(spaces(text), spaces(of)) ? [] : [`${key}: other spaces`]),
      ];
    }
    if (text === undefined || typeof text === 'string') return [`${key}: must have plural forms`];
    return categories.flatMap((one) => (text[one]?.includes('#') ? [] : [`${key}: no form "${one}" with #`]));
  });
  expect(wrong).toEqual([]);
});
