import type { TagDefinition } from './tag-definition.ts';

type Relations = NonNullable<TagDefinition['ctaRelation']>;

const isAnyRest = ({ shownCta, hideCta }: Relations) => shownCta?.rule === 'ANY' && hideCta?.rule === 'REST';
const isLists = ({ shownCta, hideCta }: Relations) => shownCta?.rule === 'LIST' && hideCta?.rule === 'LIST';

/** How many CTAs may be active at a time. */
const places = (relations: Relations): number =>
  isAnyRest(relations) ? 1 : isLists(relations) ? (relations.shownCta?.ctaList ?? []).length : 0;

/**
 * Whether the relations of a behaviour tag let one of its CTAs do anything, as the app SDK decides at every event. `activeCtas`
 * are those that have entered.
 *
 * | relations | CTA               | lets it                                       |
 * |-----------|-------------------|-----------------------------------------------|
 * | ANY+REST  | any               | while no CTA has entered, or it has itself    |
 * | LIST+LIST | in neither list   | always                                        |
 * |           | in `hideCta`      | while no CTA has entered                      |
 * |           | in `shownCta`     | while there is a place, or it has entered     |
 * |           | in both           | when one of the last two rows does            |
 * | others    | any               | never; they are invalid at save               |
 */
export function mayAct(relations: Relations, activeCtas: readonly string[], ctaId: string): boolean {
  const hasPlace = activeCtas.length < places(relations) || activeCtas.includes(ctaId);
  if (isAnyRest(relations)) return hasPlace;
  if (!isLists(relations)) return false;
  const shown = (relations.shownCta?.ctaList ?? []).includes(ctaId);
  const hidden = (relations.hideCta?.ctaList ?? []).includes(ctaId);
  return (!shown && !hidden) || (hidden && activeCtas.length === 0) || (shown && hasPlace);
}

/** Whether a CTA that runs an action enters the tag: then it keeps its place for good, across resets and restarts. */
export function enters(relations: Relations, activeCtas: readonly string[], ctaId: string): boolean {
  if (activeCtas.includes(ctaId) || activeCtas.length >= places(relations)) return false;
  return isAnyRest(relations) || (relations.shownCta?.ctaList ?? []).includes(ctaId);
}
