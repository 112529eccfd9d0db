/**
 * Why something that a client sent, or that was stored of its user, was dropped. A limit drops and never rejects: apps resend a
 * rejected delta before every later one, so a rejection would end the sync of that device for good (docs/decisions/cta.md).
 */
export const dropReasons = [
  /** More CTAs or tags in one body than the maximum. */
  'ctas',
  'behaviour_tags',
  /** More machines of one CTA than the maximum. */
  'machines',
  'group_key',
  'context',
  /** A name longer than any that can be saved: of a state, or in a list. */
  'name',
  /** The whole state of the user was over its budget. */
  'state',
  /** The tenant has used up its quota: the whole write was dropped. */
  'quota',
] as const;
export type DropReason = (typeof dropReasons)[number];
export type Drops = Readonly<Partial<Record<DropReason, number>>>;

export const noDrops: Drops = {};

export function sumOfDrops(left: Drops, right: Drops): Drops {
  const sum: Partial<Record<DropReason, number>> = { ...left };
  for (const reason of dropReasons) {
    const count = right[reason] ?? 0;
    if (count > 0) sum[reason] = (sum[reason] ?? 0) + count;
  }
  return sum;
}

/** The last time something of a user was dropped, as their state keeps it. */
export interface LastDrop {
  readonly at: number;
  readonly count: number;
  readonly reasons: readonly DropReason[];
}

export const lastDropOf = (drops: Drops, at: number): LastDrop => ({
  at,
  count: Object.values(drops).reduce((sum, count) => sum + count, 0),
  reasons: dropReasons.filter((reason) => drops[reason] !== undefined),
});
