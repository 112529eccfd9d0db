import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dir, '..');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

const hasField = (text: string): boolean =>
  /<(?:Field|TextArea|textarea|input)\b(?![^>]*type="(?:file|checkbox)")/.test(text);
const writes = (text: string): boolean => /\buse(?:Change|Write)\b[<(]/.test(text);
const namesOf = (found: (text: string) => boolean): readonly string[] =>
  sources.filter(({ text }) => found(text)).map(({ name }) => name);

/** What is typed there confirms a removal: found again, it would confirm the next one. */
const confirmations = ['pages/administration/account-dialog.tsx'];

describe('what a person types is protected in one way', () => {
  test('each form that stores what is typed into it keeps it by useTyped', () => {
    const bare = namesOf((text) => hasField(text) && writes(text) && !text.includes('useTyped('));
    expect(bare).toEqual(confirmations);
  });
  test('each dialog of such a form forgets what was stored or given up', () => {
    const bare = namesOf(
      (text) =>
        text.includes('useTyped(') &&
        text.includes('<ActionDialog') &&
        !/\bform(?:=\{| \})|\b(?:forget|begin)\b/.test(text),
    );
    expect(bare).toEqual([]);
  });
  test('nothing else asks before the tab closes', () => {
    expect(namesOf((text) => text.includes('beforeunload'))).toEqual(['api/unsaved.ts']);
  });
  test('forms are found', () =>
    expect(namesOf((text) => text.includes('useTyped(')).length).toBeGreaterThan(15));
});
