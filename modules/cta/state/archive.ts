import type { StateMachine } from './snapshot.ts';
import { previousIfSame, stringMap, type StringMap } from './string-map.ts';
import { isAlive } from './time-to-live.ts';
import { isTombstone, type CtaState, type TagState, type Tombstone, type UserState } from './user-state.ts';

/** A tombstone outlives the retries of any client that is still in use. */
export const tombstoneLifetime = 30 * 24 * 60 * 60 * 1000;

export interface ArchiveOptions {
  /** The server's time, epoch milliseconds. */
  readonly now: number;
  /** `OTHER` is any other status; undefined means that the CTA does not exist. Cohorts do not matter. */
  readonly ctaStatus: (ctaId: string) => 'LIVE' | 'PAUSED' | 'OTHER' | undefined;
  /** Milliseconds a machine may live from its `createdAt`; undefined or 0 means for ever. */
  readonly ttl: (ctaId: string) => number | undefined;
}

/**
 * Drops the parts of a user's state that are no longer needed (docs/contract.md, Archive):
 * - CTAs that are neither live nor paused **by status**. Losing a cohort hides a CTA but keeps its history.
 * - machines of live CTAs older than their time to live, and tombstones older than 30 days. Paused CTAs are frozen: their state returns
 *   unchanged.
 * - CTAs in the `activeCtas` of tags that exist and have ended: no client resets a CTA that it no longer receives, so they would keep a
 *   place in the tag for ever. Their timestamps in `ctasResetAt` still count against its limits.
 *
 * @returns `state` itself, and `changed: false`, when all of it is still needed. Never changes its arguments.
 */
export function archive(
  state: UserState,
  { now, ctaStatus, ttl }: ArchiveOptions,
): { readonly state: UserState; readonly changed: boolean } {
  const ctas = stringMap<CtaState>();
  for (const [ctaId, cta] of Object.entries(state.ctas)) {
    const status = ctaStatus(ctaId);
    if (status === 'PAUSED') ctas[ctaId] = cta;
    if (status === 'LIVE') ctas[ctaId] = withoutStale(cta, now, ttl(ctaId));
  }
  const tags = stringMap<TagState>();
  for (const [name, tag] of Object.entries(state.tags)) {
    const activeCtas = kept(tag.activeCtas, (_, ctaId) => ctaStatus(ctaId) !== 'OTHER');
    tags[name] = activeCtas === tag.activeCtas ? tag : { ...tag, activeCtas };
  }
  const archived: { -readonly [K in keyof UserState]: UserState[K] } = {
    ...state,
    ctas: previousIfSame(state.ctas, ctas),
    tags: previousIfSame(state.tags, tags),
  };
  if (state.shownAs) archived.shownAs = kept(state.shownAs, (_, ctaId) => isOffered(ctaStatus(ctaId)));
  const changed =
    archived.ctas !== state.ctas || archived.tags !== state.tags || archived.shownAs !== state.shownAs;
  return { state: changed ? archived : state, changed };
}

const isOffered = (status: string | undefined) => status === 'LIVE' || status === 'PAUSED';

function withoutStale(cta: CtaState, now: number, ttl: number | undefined): CtaState {
  const isFresh = (machine: StateMachine | Tombstone) =>
    isTombstone(machine) ? now - machine.receivedAt <= tombstoneLifetime : isAlive(machine, ttl, now);
  const machines = kept(cta.machines, isFresh);
  return machines === cta.machines ? cta : { ...cta, machines };
}

function kept<T>(map: StringMap<T>, keep: (value: T, key: string) => boolean): StringMap<T> {
  const result = stringMap<T>();
  for (const [key, value] of Object.entries(map)) if (keep(value, key)) result[key] = value;
  return previousIfSame(map, result);
}
