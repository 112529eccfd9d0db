import type { TagDefinition } from './answer.ts';

/**
 * The active CTA that hides this one by the relation of their behaviour tag, or null. `ANY` with `REST`: any active CTA of
 * the tag hides the rest of them. `LIST` with `LIST`: an active one of the first list hides those of the second. A CTA
 * never hides itself. Other combinations hide nothing. Pure.
 */
export function hiddenBy(
  { shownCta, hideCta }: NonNullable<TagDefinition['ctaRelation']>,
  activeCtas: readonly string[],
  ctaId: string,
): string | null {
  const others = activeCtas.filter((active) => active !== ctaId);
  if (shownCta?.rule === 'ANY' && hideCta?.rule === 'REST') return others[0] ?? null;
  if (shownCta?.rule !== 'LIST' || hideCta?.rule !== 'LIST') return null;
  if (!(hideCta.ctaList ?? []).includes(ctaId)) return null;
  return others.find((active) => (shownCta.ctaList ?? []).includes(active)) ?? null;
}
