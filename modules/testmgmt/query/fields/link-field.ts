import { nameKey } from '../../../../core/text/name-key.ts';
import type { LinkKind } from '../../base/evidence-schema.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import { orNoneIn, requireEquality, type FieldWords, type QueryField } from '../field-kinds/query-field.ts';

/** The keys of links of one kind; in a run, those of the test and of its result there. */
const linkField = ({ kind, ...field }: FieldWords & { readonly kind: LinkKind }): QueryField => ({
  ...field,
  values: orNoneIn(field, 'key'),
  offered: [],
  read: (asked) => {
    requireEquality(asked);
    const keys = asked.values.map(({ text }) => nameKey(text));
    return {
      fits: ({ sql, anyOf, hasLink }) =>
        anyOf([
          keys.length === 0 ? undefined : hasLink(kind, keys),
          asked.none ? sql`not ${hasLink(kind)}` : undefined,
        ]),
      cost: 2,
    };
  },
});

export const requirement = linkField({
  kind: 'requirement',
  name: 'req',
  alsoCalled: ['requirement', 'requirements', 'refs', 'story'],
  scopes: ofTests,
  optional: true,
  about: 'A linked requirement.',
  example: 'req:SHOP-12',
});

export const defect = linkField({
  kind: 'defect',
  name: 'defect',
  alsoCalled: ['defects', 'bug', 'bugs', 'issue'],
  scopes: ofTests,
  optional: true,
  about: 'A linked defect; in a run, of the test or of its result there.',
  example: 'defect:none',
});
