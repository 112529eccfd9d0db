/**
 * When signing keys are created, sign, retire and are dropped. A key is published before it signs, so that caches of our key set
 * have it in time. It stays published until the last token it signed has expired.
 *
 * | state                                     | then                                                    |
 * |-------------------------------------------|---------------------------------------------------------|
 * | no active key                             | the next key signs; without one, a new key does at once |
 * | an active key, 24 h before its 30 days    | create the next one: published, not signing yet         |
 * | a next key, published for 24 h            | it signs, and the active one is retired                 |
 * | a next key of a clock that was far ahead  | drop it: it would wait until that time has come         |
 * | a retired key, all its tokens expired     | drop it                                                 |
 *
 * `soon` creates the next key at once; `now` (after a leak) also lets it sign at once.
 */
export interface KeyAge {
  readonly kid: string;
  readonly status: 'next' | 'active' | 'retired';
  /** Since when it has this status (epoch ms). */
  readonly since: number;
}

export interface RotationPolicy {
  /** How long a key signs. */
  readonly everyMs: number;
  /** How long a key is published before it signs. */
  readonly aheadMs: number;
  /** How long the last token of a retired key may live. */
  readonly tokenMs: number;
}

export interface RotationPlan {
  /** The status of the key to create. */
  readonly make: 'next' | 'active' | null;
  readonly activate: string | null;
  readonly retire: readonly string[];
  readonly drop: readonly string[];
}

/** The changes that are due. After they are applied, a plan at the same time is empty. */
export function rotationPlan(
  keys: readonly KeyAge[],
  { everyMs, aheadMs, tokenMs }: RotationPolicy,
  now: number,
  asked: 'soon' | 'now' | null = null,
): RotationPlan {
  const of = (status: KeyAge['status']) =>
    keys.filter((key) => key.status === status).toSorted((left, right) => left.since - right.since);
  // Made while the clock was ahead.
  const isOfTheFuture = (since: number) => since - now > aheadMs;
  const next = of('next').find(({ since }) => !isOfTheFuture(since));
  const active = of('active');
  const signsSince = active.at(-1)?.since;
  const drop = [
    ...of('next').filter(({ since }) => isOfTheFuture(since)),
    ...of('retired').filter(({ since }) => now - since >= tokenMs),
  ].map(({ kid }) => kid);

  const change =
    active.length === 0 || asked === 'now' || (next !== undefined && now - next.since >= aheadMs);
  if (change) {
    const retire = active.map(({ kid }) => kid);
    return { make: next ? null : 'active', activate: next?.kid ?? null, retire, drop };
  }
  // One of the future would sign until that time has come, and everyMs more.
  const isOver =
    signsSince !== undefined && (now - signsSince >= everyMs - aheadMs || isOfTheFuture(signsSince));
  const due = asked === 'soon' || isOver;
  return { make: due && !next ? 'next' : null, activate: null, retire: [], drop };
}

/**
 * The time of the next key change, unless one is requested sooner: a next key signs, an active one is replaced, a retired one is dropped.
 */
export function changesAt({ status, since }: KeyAge, policy: RotationPolicy): number {
  if (status === 'next') return since + policy.aheadMs;
  return since + (status === 'active' ? policy.everyMs : policy.tokenMs);
}
