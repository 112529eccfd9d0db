import { ofTests } from '../field-kinds/field-value.ts';
import { hasRecord, recordField } from '../field-kinds/record-field.ts';

export const squad = recordField({
  name: 'squad',
  ofVersions: true,
  alsoCalled: ['team'],
  scopes: ofTests,
  list: 'squad',
  optional: true,
  about: 'The squad.',
  example: 'squad:Payments',
  fits: hasRecord('squad', ({ tests }) => tests.squadId),
});

export const label = recordField({
  name: 'label',
  ofVersions: true,
  alsoCalled: ['tag', 'tags'],
  scopes: ofTests,
  list: 'label',
  optional: true,
  about: 'One of the labels.',
  example: 'label:smoke,checkout',
  fits: ({ sql, anyOf, hasLabel }, { any, none }) =>
    anyOf([any.length === 0 ? undefined : hasLabel(any), none ? sql`not ${hasLabel()}` : undefined]),
  index: ({ any, none }) =>
    none
      ? undefined
      : {
          rank: 'label',
          testIds: ({ sql, testLabels, ofLabels }) =>
            sql`select ${testLabels.testId} from ${testLabels} where ${ofLabels(any)}`,
        },
});
