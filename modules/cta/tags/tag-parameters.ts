import { Type, type Static } from '@sinclair/typebox';
import { fail } from '../../../core/errors.ts';
import { words } from '../../../core/schema.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { BehaviourTag } from './tag-store.ts';
import { closed, ctaIdParameter, nullable, warnings } from '../parameters.ts';
import { relationRules, windowUnits } from '../state/snapshot.ts';

const count = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const limit = count('How often at most; 0 is no limit.');
const limitOf = (description: string) => Type.Object({ limit }, { ...closed, description });
const windowOf = Type.Object(
  {
    limit,
    unit: words(windowUnits, { description: 'Unit of the window.' }),
    value: count('Length of the window in that unit.'),
  },
  { ...closed, description: 'Per sliding window of time.' },
);

const session = Type.Optional(limitOf('Per app session.'));
const lifespan = Type.Optional(limitOf('Ever.'));

const relation = (description: string) =>
  Type.Object(
    {
      rule: words(relationRules, { description: 'Which CTAs of the tag.' }),
      ctaList: Type.Optional(
        Type.Array(ctaIdParameter, { maxItems: 500, uniqueItems: true, description: 'The CTAs of LIST.' }),
      ),
    },
    { ...closed, description },
  );
const relations = Type.Object(
  {
    shownCta: Type.Optional(relation('Which CTAs hide others while they are active: ANY or LIST.')),
    hideCta: Type.Optional(relation('Which CTAs are hidden then: REST (with ANY) or LIST (with LIST).')),
  },
  { ...closed, description: 'Which CTAs of the tag keep each other from being shown.' },
);

const tagFields = {
  behaviourTagName: Type.String(),
  tenantId: Type.String(),
  exposureRule: Type.Optional(Type.Object({ session, window: Type.Optional(windowOf), lifespan }, closed)),
  ctaRelation: Type.Optional(relations),
  version: Type.Integer(),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  killedAt: nullable(Type.Integer()),
};

/** A behaviour tag. `killedAt` is when set-cta-kill-switch hid its CTAs, null while they are not hidden. */
export const tagRecord = Type.Object(tagFields, closed);
export const savedTagRecord = Type.Object({ ...tagFields, warnings }, closed);

export const definitionParameters = {
  exposureRule: Type.Optional(
    Type.Object(
      {
        session,
        window: Type.Optional(windowOf),
        lifespan,
        lifeSpan: Type.Optional(limitOf('The same as lifespan; give one of them.')),
      },
      { ...closed, description: 'How often a user sees CTAs of the tag, all taken together.' },
    ),
  ),
  ctaRelation: Type.Optional(relations),
};

const definitionInput = Type.Object(definitionParameters, closed);

/**
 * The definition as clients get it: one spelling of `lifespan`, and each relation with its list.
 * @throws Fault INVALID_REQUEST for two spellings at odds.
 */
export function definitionOf(
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

/** A behaviour tag as tools answer it. Its definition was stored by {@link definitionOf}, whole. */
export const tagAnswer = (tag: BehaviourTag) => ({
  ...(tag.definition as Pick<Static<typeof tagRecord>, 'behaviourTagName' | 'exposureRule' | 'ctaRelation'>),
  tenantId: tag.tenantId,
  version: tag.version,
  createdBy: tag.createdBy,
  createdAt: tag.createdAt,
  updatedAt: tag.updatedAt,
  killedAt: tag.killedAt,
});
