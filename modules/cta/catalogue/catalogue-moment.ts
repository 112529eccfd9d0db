import { countedActions } from '../rules/delivery.ts';
import { statusAt } from '../rules/lifecycle.ts';
import type { CtaFacts } from '../state/cta-facts.ts';
import type { Catalogue, CatalogueCta } from './catalogue.ts';

/** What the CTAs of a catalogue are from one change by the clock to the next. It is the same object for all that time. */
export interface CatalogueMoment {
  /** By ctaId: the CTAs whose user state is kept. */
  readonly ctas: ReadonlyMap<string, CtaFacts>;
  /** The ids of all other CTAs of the tenant: their user state is dropped. */
  readonly others: ReadonlySet<string>;
  /** The actions that count against limits across CTAs; undefined: none does. */
  readonly counted: ReturnType<typeof countedActions>;
  /** Epoch milliseconds: valid from the first time until just before the second. */
  readonly from: number;
  readonly until: number;
}

/** One moment of each catalogue. */
export type HeldMoments = WeakMap<Catalogue, CatalogueMoment>;

const present: HeldMoments = new WeakMap();

/**
 * The moment of a time, epoch milliseconds. Computed once for all requests until a CTA begins or ends.
 * @param held for times that are not the present, which would otherwise replace it.
 */
export function catalogueAt(catalogue: Catalogue, now: number, held: HeldMoments = present): CatalogueMoment {
  const known = held.get(catalogue);
  if (known && now >= known.from && now < known.until) return known;
  const moment = computeMoment(catalogue, now);
  held.set(catalogue, moment);
  return moment;
}

function computeMoment(catalogue: Catalogue, now: number): CatalogueMoment {
  const ctas = new Map<string, CtaFacts>();
  const others = new Set(catalogue.others.keys());
  let [from, until] = [-Infinity, Infinity];
  for (const cta of catalogue.inOrder) {
    const facts = factsAt(cta, now);
    if (facts) ctas.set(cta.ctaId, facts);
    else others.add(cta.ctaId);
    for (const time of [cta.startTime, cta.endTime]) {
      if (time === null) continue;
      if (time <= now) from = Math.max(from, time);
      else until = Math.min(until, time);
    }
  }
  return { ctas, others, counted: countedActions(catalogue.delivery), from, until };
}

/** Undefined for a CTA whose user state is dropped. */
function factsAt(cta: CatalogueCta, now: number): CtaFacts | undefined {
  const status = statusAt(cta, now);
  if (status !== 'LIVE' && status !== 'PAUSED') return undefined;
  const isPaused = status === 'PAUSED' || cta.gates.killed === true;
  const { lifespanLimit, behaviourTagName: tag } = cta;
  return { isPaused, ttl: cta.rule.stateMachineTTL, lifespanLimit, tag };
}
