import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { words } from '../../core/schema.ts';
import { insertTag, relationWarnings, requireRelation } from './behaviour-tags.ts';
import { catalogues } from './catalogue.ts';
import {
  closed,
  ctaIdParameter,
  ownerParameter,
  tagName,
  tenantOf,
  tenantParameter,
  toolset,
  warnings,
} from './parameters.ts';
import { relationRules, windowUnits } from './snapshot.ts';
import { claimTenant, raiseVersion } from './tenants.ts';

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

const tagRecord = Type.Object(
  {
    behaviourTagName: Type.String(),
    tenantId: Type.String(),
    exposureRule: Type.Optional(Type.Object({ session, window: Type.Optional(windowOf), lifespan }, closed)),
    ctaRelation: Type.Optional(relations),
    version: Type.Integer(),
    createdBy: Type.Integer(),
    createdAt: Type.Integer(),
    updatedAt: Type.Integer(),
    warnings,
  },
  closed,
);

const tagInput = Type.Object(
  {
    tenantId: tenantParameter,
    orgId: ownerParameter,
    behaviourTagName: tagName('The name; CTAs and apps refer to the tag by it.'),
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
  },
  closed,
);

export const createBehaviourTag = operation({
  name: 'create-behaviour-tag',
  toolset,
  title: 'Create a behaviour tag',
  description:
    'Creates a behaviour tag: limits that several CTAs share, and which of them hide each other. Relations that mean ' +
    'something are shownCta ANY with hideCta REST, and LIST with LIST. Apps get it with their next launch; create-cta puts ' +
    'a CTA under it.',
  input: tagInput,
  output: tagRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const definition = definitionOf(input);
    requireRelation(definition.ctaRelation);
    const tenantId = tenantOf(input);
    const now = clock.now();
    const made = await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      const { version, createdBy } = await insertTag(q, { tenantId, definition, by: actor.userId, now });
      await raiseVersion(q, tenantId);
      return { version, createdBy, warnings: await relationWarnings(q, tenantId, definition) };
    });
    afterCommit(() => catalogues(host).forget(tenantId));
    return { ...definition, tenantId, ...made, createdAt: now, updatedAt: now };
  },
});

/** The definition as clients get it: one spelling of `lifespan`, and each relation with its list. */
function definitionOf({ behaviourTagName, exposureRule, ctaRelation }: Static<typeof tagInput>) {
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
