import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportFormats } from './report-formats.ts';

/* `bun test` of this file prints the missing rows. */
test('docs/pipelines.md has the formats as they are', () => {
  const page = readFileSync(join(import.meta.dir, '../../../docs/pipelines.md'), 'utf8').replace(/ +/g, ' ');
  const rows = reportFormats.map(({ name, title, writtenBy }) => `| \`${name}\` | ${title} | ${writtenBy} |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('a format has one name, and a root belongs to one', () => {
  const names = reportFormats.map(({ name }) => name);
  const roots = reportFormats.flatMap((format) => (format.kind === 'xml' ? format.roots : []));
  expect([names, roots]).toEqual([[...new Set(names)], [...new Set(roots)]]);
});
