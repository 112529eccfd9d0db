import type { Derived } from './derived-events.ts';

/** The types of events that are counted by hour. */
export const clientTypes = ['impression', 'click', 'dismiss', 'conversion', 'held', 'custom'] as const;
export type ClientType = (typeof clientTypes)[number];

export const countedHourMs = 3_600_000;

/** The hour in which a figure stands: that of its own time. */
export const hourOf = (at: number): number => Math.floor(at / countedHourMs) * countedHourMs;

/** Sums of one hour are spread over so many rows, by user. */
const slots = 16;

/** Not the id itself: ids are often even, or end in the number of a shard. */
export function slotOf(userId: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < userId.length; at++) hash = Math.imul(hash ^ userId.charCodeAt(at), 16_777_619);
  return (hash >>> 16) % slots;
}

/** `ctaId, version, type, name, at, eventId, hour, variant` of each event: the order that the statements of the store read. */
export type DerivedRow = readonly [
  number,
  number,
  string,
  string | null,
  number,
  string,
  number,
  string | null,
];

/**
 * The events of a merge as rows. The id is made from the stamp: a stamp that was dropped from the state, because it was too large or the
 * CTA was hidden, and is sent again, is still the same event.
 */
export const derivedRows = ({ events }: Derived): readonly DerivedRow[] =>
  events.map(({ ctaId, version, variant, type, state, at }) => [
    Number(ctaId),
    version,
    type,
    state,
    at,
    // A client's id is stored with another first character (client-event-store.ts).
    state === null ? `=${type[0]}:${ctaId}:${at}` : `=r:${ctaId}:${at}:${state}`,
    hourOf(at),
    variant,
  ]);

/** `ctaId, state, at, isThere`, in the order in which every transaction locks them. */
export const moveRows = ({ moves }: Derived): readonly (readonly [number, string, number, number])[] =>
  moves
    .map(({ ctaId, state, at, isThere }) => [Number(ctaId), state, at, isThere ? 1 : 0] as const)
    .sort((left, right) => left[0] - right[0] || (left[1] < right[1] ? -1 : 1));

/** What a row takes on the disk besides its texts, with its share of the indexes. */
const rowBytes = 200;

export const bytesOfEvent = ({ name, details }: { name: string | null; details: string | null }): number =>
  rowBytes + Buffer.byteLength(name ?? '') + Buffer.byteLength(details ?? '');
