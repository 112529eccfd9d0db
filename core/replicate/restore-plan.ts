import type { LogName } from './replica-names.ts';
import type { Generation, Stretch } from './replica-listing.ts';

/** What to restore: the ways to one moment, the best first. All of them give the same data. */
interface RestorePlan {
  readonly ways: ReadonlyArray<
    Stretch & {
      /** How exact it is: what was committed in these ms before the moment may be missing. */ readonly inexactMs: number;
    }
  >;
}

/** Why a moment cannot be restored. */
export interface NoPlan {
  readonly why:
    | 'empty' // There is no complete snapshot.
    | 'too early' // It is before the first moment.
    | 'missing' // An object on the way to it is missing.
    | 'too late' // Nothing says what happened until then.
    | 'unfinished'; // The newest generation has no complete snapshot.
  /** The last moment before it that can be restored. */
  readonly lastGood?: number;
  /** The first moment that can be restored at all. */
  readonly first?: number;
}

/**
 * Plans a restore. It never gives another moment than the one asked for: where the way to it is incomplete, it says which is the last good one.
 * @param generations the oldest first.
 * @param at epoch milliseconds; the end of the history unless given.
 */
export function planRestore(generations: readonly Generation[], at?: number): RestorePlan | NoPlan {
  const all = generations.flatMap(({ stretches }) => stretches);
  const first = all.length > 0 ? Math.min(...all.map((stretch) => stretch.first)) : undefined;
  if (first === undefined) return { why: 'empty' };
  const newest = generations.at(-1);
  if (at === undefined) {
    const last = newest?.stretches.at(-1);
    if (!last) return { why: 'unfinished', first, ...lastGoodOf(all) };
    if (last.broken) return { why: 'missing', first, ...lastGoodOf(all) };
    const ways = newest?.stretches.filter((way) => !way.broken && way.last === last.last) ?? [];
    return { ways: ways.toReversed().map((way) => ({ ...way, inexactMs: 0 })) };
  }
  if (at < first) return { why: 'too early', first };
  // The newest history that had begun by then: an older one may have gone on beside it, at a server that was replaced.
  const begun = generations.findLast(({ stretches }) => stretches.some((stretch) => stretch.first <= at));
  const before = begun?.stretches.filter((stretch) => stretch.first <= at) ?? [];
  const ways = before.filter((stretch) => at <= stretch.last).map((stretch) => cutAt(stretch, at));
  if (ways.length > 0) return { ways: ways.toReversed() };
  const why = before.at(-1)?.broken ? 'missing' : 'too late';
  return { why, first, ...lastGoodOf(before) };
}

const lastGoodOf = (stretches: readonly Stretch[]) =>
  stretches.length === 0 ? {} : { lastGood: Math.max(...stretches.map(({ last }) => last)) };

function cutAt(stretch: Stretch, at: number): RestorePlan['ways'][number] {
  const count = stretch.logs.findLastIndex((log: LogName) => log.ends && log.at <= at) + 1;
  const logs = stretch.logs.slice(0, count);
  const next = stretch.logs[count];
  const known = Math.max(logs.at(-1)?.at ?? stretch.first, next?.since ?? at);
  return { ...stretch, logs, inexactMs: Math.max(0, at - known) };
}

export const isPlan = (planned: RestorePlan | NoPlan): planned is RestorePlan => 'ways' in planned;
