import { ofTests } from '../field-kinds/field-value.ts';
import { recordField } from '../field-kinds/record-field.ts';

export const section = recordField({
  name: 'section',
  ofVersions: true,
  alsoCalled: ['folder', 'suite', 'path', 'component'],
  scopes: ofTests,
  list: 'section',
  optional: true,
  about: 'The section and all below it, by name, path or id; with = that section alone.',
  example: 'section:"Checkout > Payment"',
  fits: ({ tests, isInSection, orNone }, { any, none, alone }) =>
    orNone(
      tests.sectionId,
      any.map((one) => isInSection(one, alone)),
      none,
    ),
});
