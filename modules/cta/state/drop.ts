/**
 * Why something that a client sent, or part of a stored state, was dropped. A limit drops and never rejects: apps resend a rejected delta
 * before every later one, so a rejection would end the sync of that device for good (docs/decisions/cta.md).
 */
export const dropReasons = [
  /** One body had more CTAs or tags than the maximum. */
  'ctas',
  'behaviour_tags',
  /** One CTA had more machines than the maximum. */
  'machines',
  'group_key',
  'context',
  /** A name of a state or in a list was longer than any that can be saved. */
  'name',
  /** The whole state of the user was over its budget. */
  'state',
  /** The tenant has used up its quota, so the whole write was dropped. */
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

/** The last time that something of a user was dropped, as stored in their state. */
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
