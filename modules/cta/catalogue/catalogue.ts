import type { Cohort } from '../rules/cohort.ts';
import type { DeliveryLimits } from '../rules/delivery.ts';
import type { Gates } from '../rules/eligibility.ts';
import type { Experiment, Holdout } from '../rules/experiment.ts';
import type { CtaSchedule } from '../rules/lifecycle.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { SerialisedCta } from './serialised-cta.ts';

/** A CTA that is live or may become live by the clock, with everything a launch needs of it. */
export interface CatalogueCta extends SerialisedCta, CtaSchedule {
  /** The number of the CTA's last edit: its rule, times and tag change only with an edit. */
  readonly edit: number;
  readonly gates: Gates;
  /** How often a user may see it in total; undefined means no limit. */
  readonly lifespanLimit: number | undefined;
  /** The experiment of the CTA, and the CTA as each arm gets it. */
  readonly trial: Trial | undefined;
  /** Whether the experiment runs. */
  readonly isTried: boolean;
  /** When the experiment was started, in epoch milliseconds; null: never. */
  readonly startedAt: number | null;
}

interface Trial {
  readonly experiment: Experiment;
  /** By the key of the variant. */
  readonly arms: ReadonlyMap<string, SerialisedCta>;
}

/** The data of one tenant that launches read. Immutable: a newer version is another object. */
export interface Catalogue {
  readonly version: number;
  /** The CTAs stored as LIVE, PAUSED or SCHEDULED, by ctaId. */
  readonly ctas: ReadonlyMap<string, CatalogueCta>;
  /** The same CTAs, in the order of the response. */
  readonly inOrder: readonly CatalogueCta[];
  /** CTAs of the tenant in any other status, with their version. They exist, but their user state is dropped. */
  readonly others: ReadonlyMap<string, number>;
  /** Keyed by behaviourTagName and sorted by it. */
  readonly tags: ReadonlyMap<string, TagDefinition>;
  /** By name. */
  readonly cohorts: ReadonlyMap<string, Cohort>;
  readonly holdouts: readonly Holdout[];
  readonly delivery: DeliveryLimits | null;
  /** Whether an experiment of any CTA runs: most tenants have none, and their launches compute no bucket. */
  readonly hasTrials: boolean;
}

/** The catalogue of a tenant that does not exist: nothing is sent and nothing is stored for it. */
export const emptyCatalogue: Catalogue = {
  version: 0,
  ctas: new Map(),
  inOrder: [],
  others: new Map(),
  tags: new Map(),
  cohorts: new Map(),
  holdouts: [],
  delivery: null,
  hasTrials: false,
};
