import type { CtaFacts, FactsById } from './cta-facts.ts';
import type { StateMachine } from './snapshot.ts';
import { stringMap, type StringMap } from './string-map.ts';
import { isAlive } from './time-to-live.ts';
import { hasLeftTag, isTombstone, type CtaState, type Tombstone, type UserState } from './user-state.ts';

/** A tombstone outlives the retries of any client that is still in use. */
export const tombstoneLifetime = 30 * 24 * 60 * 60 * 1000;

export interface ArchiveOptions {
  /** The server's time, epoch milliseconds. */
  readonly now: number;
  /** By ctaId: the CTAs whose state is kept. */
  readonly ctas: FactsById<CtaFacts>;
  /** The ids of all other CTAs that exist. */
  readonly others: Pick<ReadonlySet<string>, 'has'>;
  /** How long an action of any CTA counts against the limits of the tenant, and how many can; absent: it has no such limits. */
  readonly counted?: { readonly ms: number; readonly most: number } | undefined;
}

/**
 * Drops the parts of a user's state that are no longer needed (docs/contract.md, Archive):
 * - CTAs that are neither live nor paused **by status**. Losing a cohort hides a CTA but keeps its history.
 * - machines of live CTAs older than their time to live, and tombstones older than 30 days. Paused CTAs are frozen: their state returns
 *   unchanged.
 * - CTAs in the `activeCtas` of tags that have ended, or are under another tag: no client resets them there, so they would keep a
 *   place in the tag for ever. Their timestamps in `ctasResetAt` still count against its limits.
 *
 * Actions of a CTA that is dropped are kept as times, as long as they count against limits across CTAs: ending a CTA must not end the pause
 * that a user has from all of them.
 *
 * @returns `state` itself, and `changed: false`, when all of it is still needed. Never changes its arguments.
 */
export function archive(
  state: UserState,
  options: ArchiveOptions,
): { readonly state: UserState; readonly changed: boolean } {
  const ended: number[] = [];
  const ctas = mapped(state.ctas, (cta, ctaId) => {
    const facts = options.ctas.get(ctaId);
    if (facts) return facts.isPaused ? cta : withoutStale(cta, options.now, facts.ttl);
    ended.push(...cta.actionDoneAt.marks);
    return undefined;
  });
  const tags = mapped(state.tags, (tag, name) => {
    const activeCtas = kept(tag.activeCtas, (_, ctaId) => !hasLeftTag(options, ctaId, name));
    return activeCtas === tag.activeCtas ? tag : { ...tag, activeCtas };
  });
  const shownAs = state.shownAs && kept(state.shownAs, (_, ctaId) => options.ctas.get(ctaId) !== undefined);
  const endedActions =
    ended.length > 0 || state.endedActions ? stillCounted(state.endedActions, ended, options) : undefined;
  const changed =
    endedActions !== state.endedActions ||
    ctas !== state.ctas ||
    tags !== state.tags ||
    shownAs !== state.shownAs;
  if (!changed) return { state, changed };
  const archived: { -readonly [K in keyof UserState]: UserState[K] } = { ...state, ctas, tags };
  if (shownAs) archived.shownAs = shownAs;
  if (endedActions) archived.endedActions = endedActions;
  else delete archived.endedActions;
  return { state: archived, changed };
}

function stillCounted(
  known: readonly number[] = [],
  ended: readonly number[],
  { now, counted }: ArchiveOptions,
): readonly number[] | undefined {
  if (!counted) return undefined;
  const counts = (at: number) => at > now - counted.ms;
  const added = ended.filter(counts);
  // Not shortened at each launch: each change is a write.
  if (added.length === 0) return known.some(counts) ? known : undefined;
  const both = new Set([...known.filter(counts), ...added]);
  return [...both].sort((left, right) => left - right).slice(-counted.most);
}

function withoutStale(cta: CtaState, now: number, ttl: number | undefined): CtaState {
  const isFresh = (machine: StateMachine | Tombstone) =>
    isTombstone(machine) ? now - machine.receivedAt <= tombstoneLifetime : isAlive(machine, ttl, now);
  const machines = kept(cta.machines, isFresh);
  return machines === cta.machines ? cta : { ...cta, machines };
}

const kept = <T>(map: StringMap<T>, keep: (value: T, key: string) => boolean): StringMap<T> =>
  mapped(map, (value, key) => (keep(value, key) ? value : undefined));

/** @returns `map` itself when all its values stay. @param change undefined drops the value. */
function mapped<T>(map: StringMap<T>, change: (value: T, key: string) => T | undefined): StringMap<T> {
  let isSame = true;
  const result: Array<[string, T]> = [];
  for (const [key, value] of Object.entries(map)) {
    const next = change(value, key);
    isSame &&= next === value;
    if (next !== undefined) result.push([key, next]);
  }
  return isSame ? map : stringMap(Object.fromEntries(result));
}
