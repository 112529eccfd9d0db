import { filterPasses, type Properties } from './filter.ts';
import type { FilterGroup } from './rule-parts.ts';

/** How the users of a cohort are chosen. */
export type CohortDefinition =
  | { readonly kind: 'list' }
  /** `percentage` is 0 to 100 in steps of 0.01. */
  | { readonly kind: 'percentage'; readonly percentage: number; readonly seed: string }
  | { readonly kind: 'attributes'; readonly filters: FilterGroup };

export const cohortKinds = ['list', 'percentage', 'attributes'] as const;
export type CohortKind = (typeof cohortKinds)[number];

/** The cohort of all users; it cannot be created. */
export const everybody = 'all';

/** The buckets into which a percentage divides all users. */
export const buckets = 10_000;

/** Whether a percentage is one of whole buckets: a multiple of 0.01, of which decimals are a little off. */
export const isOfWholeBuckets = (percentage: number): boolean => {
  const share = percentage * (buckets / 100);
  return Math.abs(share - Math.round(share)) <= 1e-6;
};

/**
 * The bucket of a user, 0 to 9,999: the first four bytes of SHA-256 over the UTF-8 text
 * `<seed>:<userId>` as a big-endian number, modulo 10,000, where `userId` is the shortest decimal. A user is in a cohort
 * of p percent when their bucket is below 100 p. **Must never change**: it decides who is in which half of an
 * experiment, and other systems compute it, too.
 */
export function bucketOf(seed: string, userId: string): number {
  const digest = new Bun.CryptoHasher('sha256').update(`${seed}:${userId}`).digest();
  return digest.readUInt32BE(0) % buckets;
}

/** Stored data of a user on which cohorts depend. */
export interface UserFacts {
  readonly userId: string;
  /** The lists the user is in, by the id of the cohort. */
  readonly lists: ReadonlySet<number>;
  /** Empty when nothing is stored. */
  readonly attributes: Properties;
}

/** A cohort as the catalogue stores it. */
export interface Cohort {
  readonly id: number;
  readonly definition: CohortDefinition;
}

/** Whether a user is in a cohort. @param now epoch milliseconds: `$.currentTime` of attribute filters. */
export function belongsTo({ id, definition }: Cohort, known: UserFacts, now: number): boolean {
  switch (definition.kind) {
    case 'list':
      return known.lists.has(id);
    case 'percentage':
      return bucketOf(definition.seed, known.userId) < Math.round(definition.percentage * (buckets / 100));
    case 'attributes':
      return filterPasses(definition.filters, { properties: known.attributes, now });
  }
}
