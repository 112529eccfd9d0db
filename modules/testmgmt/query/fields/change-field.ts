import { compared, dateField } from '../field-kinds/interval-field.ts';
import { ofAll, ofTests } from '../field-kinds/field-value.ts';
import { personField } from '../field-kinds/record-field.ts';

export const created = dateField({
  name: 'created',
  ofVersions: true,
  scopes: ofAll,
  about: 'When it was created.',
  example: 'created:7d',
  fits: compared(({ rows }) => rows.createdAt),
  sort: { scopes: ['runs'], value: ({ sql, rows }) => sql`${rows.createdAt}` },
});

export const updated = dateField({
  name: 'updated',
  ofVersions: true,
  alsoCalled: ['changed', 'modified'],
  scopes: ofTests,
  about: 'When the test was last changed.',
  example: 'updated:>=2026-11-01',
  fits: compared(({ tests }) => tests.updatedAt),
  sort: { scopes: ofTests, value: ({ sql, tests }) => sql`${tests.updatedAt}` },
});

export const createdBy = personField({
  name: 'created-by',
  ofVersions: true,
  alsoCalled: ['author', 'creator', 'owner'],
  scopes: ofAll,
  about: 'Who created it.',
  example: 'created-by:me',
  column: ({ rows }) => rows.createdBy,
});

export const updatedBy = personField({
  name: 'updated-by',
  ofVersions: true,
  alsoCalled: ['editor', 'changed-by'],
  scopes: ofTests,
  optional: true,
  about: 'Who last changed the test.',
  example: 'updated-by:ann@example.org',
  column: ({ tests }) => tests.updatedBy,
});
