import { perHost, type Host } from '../../../core/host/host.ts';
import { rateLimit } from '../../../core/http/rate/rate-limit.ts';
import { ctaMetrics } from '../base/metrics.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { armKeyOf } from '../experiments/assignment.ts';
import { eventUsage } from '../counts/event-usage.ts';
import type { StateKey } from '../state/user-state.ts';
import { presentUserId } from '../user-states/user-alias-store.ts';
import { UserQueue } from '../user-states/user-queue.ts';
import { storeEvents, type KnownEvent } from './client-event-store.ts';
import { readEvents, type ClientEvent } from './event-body.ts';

/** What became of the events of one request. */
export interface EventOutcome {
  readonly accepted: number;
  readonly duplicate: number;
  readonly dropped: number;
}

/** Requests of one user in a minute; the events of further ones are dropped. */
const requestsPerMinute = 300;

const limits = perHost(({ clock }) => rateLimit('cta_events', requestsPerMinute, clock));
const queues = perHost(() => new UserQueue());

/** Whether a user has sent too many requests: asked before the body is read. */
export const isTooFast = (host: Host, { tenantId, userId }: StateKey): boolean =>
  limits(host).take(`${tenantId} ${userId}`)?.exceeded ?? false;

/**
 * Stores the events of a body. They are durable when this resolves.
 * @param mayStore false: everything is dropped.
 * @returns null for what is no JSON object.
 */
export async function takeEvents(
  host: Host,
  key: StateKey,
  body: unknown,
  mayStore: boolean,
): Promise<EventOutcome | null> {
  const now = host.clock.now();
  const read = readEvents(body, now);
  if (read === null) return null;
  const catalogue = await catalogues(host).of(key.tenantId);
  const known = read.events.flatMap((event) => knownEvent(catalogue, event));
  const dropped = read.dropped + read.events.length - known.length;
  const isStored = mayStore && known.length > 0 && (await eventUsage(host).hasRoom(key.tenantId));
  const outcome = isStored
    ? { ...(await stored(host, key, known, now)), dropped }
    : { accepted: 0, duplicate: 0, dropped: dropped + known.length };
  for (const [name, count] of Object.entries(outcome))
    if (count > 0) host.metrics.count(ctaMetrics.events, [name], count);
  if (outcome.dropped > 0 && catalogue.version > 0)
    eventUsage(host).count(key.tenantId, { dropped: outcome.dropped });
  return outcome;
}

const noArm = () => null;

function knownEvent(catalogue: Catalogue, event: ClientEvent): readonly KnownEvent[] {
  if (event.ctaId === null)
    return catalogue.version === 0 ? [] : [{ event, ctaId: 0, version: 0, armOf: noArm }];
  const cta = catalogue.ctas.get(event.ctaId);
  const version = cta?.edit ?? catalogue.others.get(event.ctaId);
  const armOf = cta ? (userId: string) => armKeyOf(cta, userId, event.at) : noArm;
  return version === undefined ? [] : [{ event, ctaId: Number(event.ctaId), version, armOf }];
}

/** The requests of one user one after the other: all would wait for the same rows. */
async function stored(
  host: Host,
  { tenantId, userId: asked }: StateKey,
  known: readonly KnownEvent[],
  now: number,
): Promise<Pick<EventOutcome, 'accepted' | 'duplicate'>> {
  const userId = await presentUserId(host.db.q, asked);
  const { accepted, bytes } = await queues(host).run(`${tenantId} ${userId}`, () =>
    host.db.tx((q) => storeEvents(q, { tenantId, userId }, known, now)),
  );
  eventUsage(host).count(tenantId, { events: accepted, bytes });
  return { accepted, duplicate: known.length - accepted };
}
