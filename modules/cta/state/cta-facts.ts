/** Facts by the id or name of what they are about. A `Map` is one. */
export interface FactsById<T> {
  get(id: string): T | undefined;
}

/** What archiving and merging need to know of a CTA whose user state is kept: it is live or paused by status. Cohorts do not matter. */
export interface CtaFacts {
  /** The state of a paused CTA is frozen. A kill switch pauses. */
  readonly isPaused: boolean;
  /** Milliseconds a machine may live from its `createdAt`; undefined or 0 means for ever. */
  readonly ttl?: number | undefined;
  /** Lifespan limit of its frequency; undefined or 0 means no limit. */
  readonly lifespanLimit?: number | undefined;
  /** Its behaviour tag. */
  readonly tag?: string | null | undefined;
}
