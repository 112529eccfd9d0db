import { compared, numberField } from '../field-kinds/interval-field.ts';
import { ofAll } from '../field-kinds/field-value.ts';
import { textField } from '../field-kinds/text-field.ts';

export const idField = numberField({
  name: 'id',
  ofVersions: true,
  scopes: ofAll,
  about: 'The id.',
  example: 'id:12,40..60',
  fits: compared(({ rows }) => rows.id),
  sort: { scopes: ofAll, value: ({ sql, rows }) => sql`${rows.id}` },
});

export const name = textField({
  name: 'name',
  ofVersions: true,
  alsoCalled: ['title', 'summary'],
  scopes: ofAll,
  about: 'A part of the name; with = the whole name.',
  example: 'name:login',
  // Marks cover all texts of a test, so a search by marks would compare many tests. Reading the names is faster.
  fits: ({ rows, hasText }, text, whole) => hasText(rows.name, text, whole),
  sort: { scopes: ofAll, value: ({ rows, lower }) => lower(rows.name) },
});
