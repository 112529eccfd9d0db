import { Type, type Static } from '@sinclair/typebox';
import { closedObject, words } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { ctaIdParameter, tagName } from '../base/parameters.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { relationRules, windowUnits } from '../state/snapshot.ts';

export const tagNameParameter = tagName('The behaviour tag; list-behaviour-tags lists them.');

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const limit = count('Max impressions; 0 is no limit.');
const limitOf = (description: string) => closedObject({ limit }, { description });
const windowLimit = closedObject(
  {
    limit,
    unit: words(windowUnits, { description: 'Unit of the window.' }),
    value: count('Length of the window in that unit.'),
  },
  { description: 'Per sliding window of time.' },
);

const session = Type.Optional(limitOf('Per app session.'));
const lifespan = Type.Optional(limitOf('Ever.'));

const relation = (description: string) =>
  closedObject(
    {
      rule: words(relationRules, { description: 'Which CTAs of the tag.' }),
      ctaList: Type.Optional(
        Type.Array(ctaIdParameter, { maxItems: 500, uniqueItems: true, description: 'The CTAs of LIST.' }),
      ),
    },
    { description },
  );
export const relations = closedObject(
  {
    shownCta: Type.Optional(relation('Which CTAs hide others while they are active: ANY or LIST.')),
    hideCta: Type.Optional(relation('Which CTAs are hidden then: REST (with ANY) or LIST (with LIST).')),
  },
  { description: 'Which CTAs of the tag keep each other from being shown.' },
);

const exposureFields = { session, window: Type.Optional(windowLimit), lifespan };
/** The limits of a behaviour tag as they are stored. */
export const exposureRule = closedObject(exposureFields);

export const tagDefinitionParameters = {
  exposureRule: Type.Optional(
    closedObject(
      { ...exposureFields, lifeSpan: Type.Optional(limitOf('The same as lifespan; give one of them.')) },
      { description: 'How often a user sees CTAs of the tag, counted together.' },
    ),
  ),
  ctaRelation: Type.Optional(relations),
};

const definitionInput = closedObject(tagDefinitionParameters);

/**
 * The definition as it is stored and as apps receive it: with one spelling of `lifespan`, and a list for each relation.
 * @throws Fault INVALID_REQUEST when `lifespan` and `lifeSpan` differ.
 */
export function tagDefinitionOf(
  behaviourTagName: string,
  { exposureRule, ctaRelation }: Static<typeof definitionInput>,
): TagDefinition {
  const { session, window, lifespan, lifeSpan } = exposureRule ?? {};
  if (lifespan && lifeSpan && lifespan.limit !== lifeSpan.limit) {
    throw fail.INVALID_REQUEST('exposureRule.lifeSpan differs from lifespan, which means the same.', {
      cause: 'exposureRule.lifeSpan',
    });
  }
  const ever = lifespan ?? lifeSpan;
  const { shownCta, hideCta } = ctaRelation ?? {};
  return {
    behaviourTagName,
    ...(exposureRule && {
      exposureRule: {
        ...(session && { session }),
        ...(window && { window }),
        ...(ever && { lifespan: ever }),
      },
    }),
    ...(ctaRelation && {
      ctaRelation: {
        ...(shownCta && { shownCta: { rule: shownCta.rule, ctaList: shownCta.ctaList ?? [] } }),
        ...(hideCta && { hideCta: { rule: hideCta.rule, ctaList: hideCta.ctaList ?? [] } }),
      },
    }),
  };
}
