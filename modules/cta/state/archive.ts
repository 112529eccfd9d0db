import type { CtaFacts, FactsById } from './cta-facts.ts';
import type { StateMachine } from './snapshot.ts';
import { previousIfSame, stringMap, type StringMap } from './string-map.ts';
import { isAlive } from './time-to-live.ts';
import {
  hasLeftTag,
  isTombstone,
  type CtaState,
  type TagState,
  type Tombstone,
  type UserState,
} from './user-state.ts';

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
  const ctas = stringMap<CtaState>();
  const ended: number[] = [];
  for (const [ctaId, cta] of Object.entries(state.ctas)) {
    const facts = options.ctas.get(ctaId);
    if (!facts) ended.push(...cta.actionDoneAt.marks);
    else ctas[ctaId] = facts.isPaused ? cta : withoutStale(cta, options.now, facts.ttl);
  }
  const tags = stringMap<TagState>();
  for (const [name, tag] of Object.entries(state.tags)) {
    const activeCtas = kept(tag.activeCtas, (_, ctaId) => !hasLeftTag(options, ctaId, name));
    tags[name] = activeCtas === tag.activeCtas ? tag : { ...tag, activeCtas };
  }
  const archived: { -readonly [K in keyof UserState]: UserState[K] } = {
    ...state,
    ctas: previousIfSame(state.ctas, ctas),
    tags: previousIfSame(state.tags, tags),
  };
  if (state.shownAs)
    archived.shownAs = kept(state.shownAs, (_, ctaId) => options.ctas.get(ctaId) !== undefined);
  const endedActions =
    ended.length > 0 || state.endedActions ? stillCounted(state.endedActions, ended, options) : undefined;
  if (endedActions) archived.endedActions = endedActions;
  else delete archived.endedActions;
  const changed =
    endedActions !== state.endedActions ||
    archived.ctas !== state.ctas ||
    archived.tags !== state.tags ||
    archived.shownAs !== state.shownAs;
  return { state: changed ? archived : state, changed };
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

function kept<T>(map: StringMap<T>, keep: (value: T, key: string) => boolean): StringMap<T> {
  const result = stringMap<T>();
  for (const [key, value] of Object.entries(map)) if (keep(value, key)) result[key] = value;
  return previousIfSame(map, result);
}
