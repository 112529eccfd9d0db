import { and, eq, inArray } from 'drizzle-orm';
import type { Query } from '../../core/db/db.ts';
import type { TagDefinition } from './answer.ts';
import { refuse } from './errors.ts';
import type { RuleFault } from './rule-check.ts';
import { behaviourTags, ctas } from './schema.ts';
import type { Relation } from './snapshot.ts';

export type BehaviourTag = typeof behaviourTags.$inferSelect;

/**
 * Why two relations cannot stand together, or null. `shownCta` says which CTAs of a tag, once
 * shown, hide others; `hideCta` says which. Pure.
 *
 * | shownCta | hideCta | meaning                                                        |
 * |----------|---------|----------------------------------------------------------------|
 * | ANY      | REST    | while any CTA of the tag is active, the rest of them is hidden |
 * | LIST     | LIST    | while one of these is active, those are hidden                 |
 */
export function relationFault(relations: {
  readonly shownCta?: Relation;
  readonly hideCta?: Relation;
}): { readonly path: string; readonly reason: string } | null {
  const { shownCta, hideCta } = relations;
  if (!shownCta || !hideCta) {
    const path = shownCta ? 'ctaRelation.hideCta' : 'ctaRelation.shownCta';
    return { path, reason: `is missing: which CTA was shown and which are hidden belong together` };
  }
  const reason = ruleFault(shownCta.rule, hideCta.rule);
  if (reason) return { path: 'ctaRelation', reason };
  for (const [name, { rule, ctaList = [] }] of [
    ['shownCta', shownCta],
    ['hideCta', hideCta],
  ] as const) {
    const path = `ctaRelation.${name}.ctaList`;
    if (rule === 'LIST' && ctaList.length === 0) return { path, reason: 'is empty: LIST needs the CTAs' };
    if (rule !== 'LIST' && ctaList.length > 0) {
      return { path, reason: `means nothing with ${rule}: use LIST for single CTAs` };
    }
  }
  return null;
}

function ruleFault(shown: Relation['rule'], hide: Relation['rule']): string | null {
  if ((shown === 'ANY' && hide === 'REST') || (shown === 'LIST' && hide === 'LIST')) return null;
  const pair = `shownCta ${shown} with hideCta ${hide}`;
  if (shown === 'REST') return `${pair} says nothing: there is no list that the rest is the rest of`;
  if (hide === 'ANY') return `${pair} would hide the very CTA that is shown`;
  return `${pair} is a combination that existing clients do not evaluate`;
}

/** @throws Fault INVALID_RELATION with the place and the reason. */
export function requireRelation(ctaRelation: TagDefinition['ctaRelation']): void {
  const fault = ctaRelation && relationFault(ctaRelation);
  if (fault) throw refuse.INVALID_RELATION(`${fault.path} ${fault.reason}.`, { cause: fault.path });
}

/** Relations that name CTAs which the tenant does not have: they may come later, and hide nothing until then. */
export async function relationWarnings(
  q: Query,
  tenantId: string,
  { ctaRelation }: TagDefinition,
): Promise<RuleFault[]> {
  const named = (['shownCta', 'hideCta'] as const).flatMap((name) =>
    (ctaRelation?.[name]?.ctaList ?? []).map((ctaId, index) => ({
      ctaId,
      path: `ctaRelation.${name}.ctaList[${index}]`,
    })),
  );
  if (named.length === 0) return [];
  const ids = [...new Set(named.map(({ ctaId }) => Number(ctaId)))];
  const rows = await q
    .select({ id: ctas.id })
    .from(ctas)
    .where(and(eq(ctas.tenantId, tenantId), inArray(ctas.id, ids)));
  const known = new Set(rows.map(({ id }) => String(id)));
  return named
    .filter(({ ctaId }) => !known.has(ctaId))
    .map(({ path }) => ({ path, problem: 'is not a CTA of this tenant' }));
}

/** Stores a behaviour tag. @throws Fault BEHAVIOUR_TAG_EXISTS. */
export async function insertTag(
  q: Query,
  given: {
    readonly tenantId: string;
    readonly definition: TagDefinition;
    readonly by: number;
    readonly now: number;
  },
): Promise<BehaviourTag> {
  const { tenantId, definition, by, now } = given;
  const name = definition.behaviourTagName;
  const [known] = await q
    .select({ name: behaviourTags.name })
    .from(behaviourTags)
    .where(and(eq(behaviourTags.tenantId, tenantId), eq(behaviourTags.name, name)));
  if (known) {
    throw refuse.BEHAVIOUR_TAG_EXISTS(`The tenant "${tenantId}" has a behaviour tag of that name already.`, {
      cause: 'behaviourTagName',
    });
  }
  const row = {
    tenantId,
    name,
    definition,
    version: 1,
    createdBy: by,
    createdAt: now,
    updatedAt: now,
    killedAt: null,
  };
  await q.insert(behaviourTags).values(row);
  return row;
}
