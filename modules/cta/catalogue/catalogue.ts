import type { Cohort } from '../rules/cohort.ts';
import type { Gates } from '../rules/eligibility.ts';
import { statusAt, type CtaSchedule } from '../rules/lifecycle.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { ArchiveOptions } from '../state/archive.ts';
import type { SerialisedCta } from './serialised-cta.ts';

/** A CTA that is live or may become so by the clock, with all that a launch needs of it. */
export interface CatalogueCta extends SerialisedCta, CtaSchedule {
  /** Which edit of the CTA this is: its rule, times and tag change with an edit alone. */
  readonly edit: number;
  readonly gates: Gates;
  /** How often a user may see it ever; undefined is no limit. */
  readonly lifespanLimit: number | undefined;
}

/** What launches read of one tenant. Immutable: a newer version is another object. */
export interface Catalogue {
  readonly version: number;
  /** Stored as LIVE, PAUSED or SCHEDULED, by ctaId. */
  readonly ctas: ReadonlyMap<string, CatalogueCta>;
  /** The same, in the order of the response. */
  readonly inOrder: readonly CatalogueCta[];
  /** CTAs of the tenant in any other status: they exist, and the state of their users is dropped. */
  readonly others: ReadonlySet<string>;
  /** By behaviourTagName, in that order. */
  readonly tags: ReadonlyMap<string, TagDefinition>;
  /** By name. */
  readonly cohorts: ReadonlyMap<string, Cohort>;
}

/** The catalogue of a tenant that does not exist: nothing is sent and nothing is stored for it. */
export const emptyCatalogue: Catalogue = {
  version: 0,
  ctas: new Map(),
  inOrder: [],
  others: new Set(),
  tags: new Map(),
  cohorts: new Map(),
};

/** What archiving and merging ask of the CTAs of a tenant at a time (epoch milliseconds). */
export const archiveOptions = (catalogue: Catalogue, now: number): ArchiveOptions => ({
  now,
  ctaStatus: (ctaId) => statusForState(catalogue, ctaId, now),
  ttl: (ctaId) => catalogue.ctas.get(ctaId)?.rule.stateMachineTTL,
});

/** Which state of users a CTA keeps: a kill switch pauses it. Undefined when the tenant has no such CTA. */
export function statusForState(
  catalogue: Catalogue,
  ctaId: string,
  now: number,
): ReturnType<ArchiveOptions['ctaStatus']> {
  const cta = catalogue.ctas.get(ctaId);
  if (!cta) return catalogue.others.has(ctaId) ? 'OTHER' : undefined;
  const status = statusAt(cta, now);
  if (status === 'LIVE' && cta.gates.killed === true) return 'PAUSED';
  return status === 'LIVE' || status === 'PAUSED' ? status : 'OTHER';
}
