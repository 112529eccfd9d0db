import { weightOf, type Weight } from './json-weight.ts';
import type { CtaReset, StateMachine } from './snapshot.ts';
import { compareIds, stringMap } from './string-map.ts';
import { isTombstone, type CtaState, type TagState, type Tombstone, type UserState } from './user-state.ts';

/**
 * The most that may be stored for one user (docs/contract.md, Limits): a real client of 500 CTAs with a few machines each has a few hundred
 * kilobytes. The number of values is bounded as well as bytes, because every later request of the user pays for them: 3.7 MiB of nested
 * zeros made a delta of 150 bytes cost 150 ms.
 */
export const stateBudget: Weight = { bytes: 256 * 1024, values: 10_000 };

/** Reserved for the members other than CTAs and tags: the version and the last drop. */
const reserve: Weight = { bytes: 1024, values: 32 };

/** Bytes of JSON around a member, besides its key and value, with some margin. */
const frame = 8;

/**
 * The state within the budget; `state` itself when it already is. Of the machines, the newest are kept: tombstones are dropped first, then
 * the oldest machines, one by one. Everything other than machines has half the budget. Of the marks, those of actions done are dropped
 * first, because they limit nothing, then the oldest. CTAs and tags themselves are dropped only when they exceed half the budget.
 */
export function trimToBudget(
  state: UserState,
  budget: Weight = stateBudget,
): { readonly state: UserState; readonly dropped: number } {
  if (weightOf(state, budget) !== null) return { state, dropped: 0 };
  const purse = new RemainingBudget({
    bytes: budget.bytes / 2 - reserve.bytes,
    values: Math.floor(budget.values / 2) - reserve.values,
  });
  const tags = bareTags(state, purse);
  const ctas = bareCtas(state, purse);
  let dropped = Object.keys(state.ctas).length + Object.keys(state.tags).length - ctas.size - tags.size;
  dropped += keepTimestamps(state, ctas, tags, purse);
  purse.add({ bytes: budget.bytes / 2, values: Math.floor(budget.values / 2) });
  dropped += keepMachines(state, ctas, purse);
  return { state: { ...state, ctas: stringMapOf(ctas), tags: stringMapOf(tags) }, dropped };
}

/** The remainder of a budget. */
class RemainingBudget {
  private bytes: number;
  private values: number;

  constructor({ bytes, values }: Weight) {
    this.bytes = bytes;
    this.values = values;
  }

  add({ bytes, values }: Weight): void {
    this.bytes += bytes;
    this.values += values;
  }

  /** Takes a member from the budget, if enough is left. */
  spend(key: string, value: unknown): boolean {
    const ofKey = weightOf(key, { bytes: this.bytes - frame, values: 1 });
    const ofValue =
      ofKey && weightOf(value, { bytes: this.bytes - frame - ofKey.bytes, values: this.values });
    if (!ofKey || !ofValue) return false;
    this.bytes -= frame + ofKey.bytes + ofValue.bytes;
    this.values -= ofValue.values;
    return true;
  }
}

interface BareCta {
  machines: Record<string, StateMachine | Tombstone>;
  resetAt: { marks: number[]; clearedAt?: number };
  actionDoneAt: { marks: number[]; clearedAt?: number };
}

interface BareTag {
  ctasResetAt: { marks: CtaReset[]; clearedAt?: number };
  activeCtas: TagState['activeCtas'];
}

const stringMapOf = <T>(map: ReadonlyMap<string, T>): Record<string, T> =>
  stringMap<T>(Object.fromEntries(map));

const cleared = ({ clearedAt }: { readonly clearedAt?: number }) =>
  clearedAt === undefined ? {} : { clearedAt };

function bareTags(state: UserState, purse: RemainingBudget): Map<string, BareTag> {
  const tags = new Map<string, BareTag>();
  for (const [name, { ctasResetAt, activeCtas }] of Object.entries(state.tags)) {
    const tag: BareTag = { ctasResetAt: { marks: [], ...cleared(ctasResetAt) }, activeCtas };
    if (purse.spend(name, tag)) tags.set(name, tag);
  }
  return tags;
}

function bareCtas(state: UserState, purse: RemainingBudget): Map<string, BareCta> {
  const newestFirst = Object.entries(state.ctas)
    .map(([ctaId, cta]) => ({ ctaId, cta, at: lastTime(cta) }))
    .sort((left, right) => right.at - left.at || compareIds(left.ctaId, right.ctaId));
  const ctas = new Map<string, BareCta>();
  for (const { ctaId, cta } of newestFirst) {
    const bare: BareCta = {
      machines: stringMap(),
      resetAt: { marks: [], ...cleared(cta.resetAt) },
      actionDoneAt: { marks: [], ...cleared(cta.actionDoneAt) },
    };
    if (purse.spend(ctaId, bare)) ctas.set(ctaId, bare);
  }
  return ctas;
}

function lastTime({ machines, resetAt, actionDoneAt }: CtaState): number {
  let last = Math.max(resetAt.marks.at(-1) ?? -Infinity, actionDoneAt.marks.at(-1) ?? -Infinity);
  for (const key in machines) last = Math.max(last, machines[key]?.lastTransitionAt ?? -Infinity);
  return last;
}

/** Keeps the timestamps that fit. @returns how many were dropped. */
function keepTimestamps(
  state: UserState,
  ctas: ReadonlyMap<string, BareCta>,
  tags: ReadonlyMap<string, BareTag>,
  purse: RemainingBudget,
): number {
  interface Mark {
    readonly counts: boolean;
    readonly at: number;
    readonly mark: CtaReset;
    readonly put: () => void;
  }
  const marks: Mark[] = [];
  for (const [ctaId, bare] of ctas) {
    const cta = state.ctas[ctaId];
    for (const at of cta?.resetAt.marks ?? []) {
      marks.push({ counts: true, at, mark: at, put: () => bare.resetAt.marks.push(at) });
    }
    for (const at of cta?.actionDoneAt.marks ?? []) {
      marks.push({ counts: false, at, mark: at, put: () => bare.actionDoneAt.marks.push(at) });
    }
  }
  for (const [name, bare] of tags) {
    for (const mark of state.tags[name]?.ctasResetAt.marks ?? []) {
      const at = typeof mark === 'number' ? mark : mark.resetAt;
      marks.push({ counts: true, at, mark, put: () => bare.ctasResetAt.marks.push(mark) });
    }
  }
  marks.sort((left, right) => Number(right.counts) - Number(left.counts) || right.at - left.at);
  const kept = marks.filter(({ mark }) => purse.spend('', mark));
  // Histories are ascending and the sort is stable, so marks with equal times keep their order.
  for (const { put } of kept.sort((left, right) => left.at - right.at)) put();
  return marks.length - kept.length;
}

/** Keeps the machines that fit. @returns how many were dropped. */
function keepMachines(state: UserState, ctas: ReadonlyMap<string, BareCta>, purse: RemainingBudget): number {
  let dropped = 0;
  const machines = Object.entries(state.ctas).flatMap(([ctaId, cta]) =>
    Object.entries(cta.machines).map(([key, machine]) => ({ ctaId, key, machine })),
  );
  machines.sort(
    (left, right) =>
      Number(isTombstone(left.machine)) - Number(isTombstone(right.machine)) ||
      right.machine.lastTransitionAt - left.machine.lastTransitionAt ||
      compareIds(left.ctaId, right.ctaId) ||
      compareIds(left.key, right.key),
  );
  for (const { ctaId, key, machine } of machines) {
    const cta = ctas.get(ctaId);
    if (cta && purse.spend(key, machine)) cta.machines[key] = machine;
    else dropped++;
  }
  return dropped;
}
