import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

test('only design/ makes tables: a page has Table, Listing or Grid', () => {
  const folder = join(import.meta.dir, '..');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.tsx') &&
      !name.startsWith('design/') &&
      /<(?:table|thead|tbody|tr|td|th)\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
