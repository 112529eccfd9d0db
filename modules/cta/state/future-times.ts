import type { CtaReset, StateMachine } from './snapshot.ts';
import { stringMap, type StringMap } from './string-map.ts';
import {
  isTombstone,
  type CtaState,
  type History,
  type TagState,
  type Tombstone,
  type UserState,
} from './user-state.ts';

/** How far a client's clock may be ahead. This covers time zones that were set by hand. */
const dayMs = 24 * 60 * 60 * 1000;

/**
 * A client's time as the server accepts it: a time more than a day ahead is replaced by the server's own. The greater time wins a merge, so
 * a machine with a time of 2^53-1 would win over every later copy of it.
 */
export const acceptTime = (time: number, now: number): number => (time > now + dayMs ? now : time);

/**
 * A state without times in the future. States of version 1 may contain such times, which would win every merge.
 * @returns `state` itself when it has none.
 */
export function withoutFuture(state: UserState, now: number): UserState {
  if (state.version === 2) return state;
  const ctas = mapValues(state.ctas, (cta) => cleanCta(cta, now));
  const tags = mapValues(state.tags, (tag) => cleanTag(tag, now));
  return ctas === state.ctas && tags === state.tags ? state : { ...state, ctas, tags };
}

function cleanCta(cta: CtaState, now: number): CtaState {
  const machines = mapValues(cta.machines, (machine) => cleanMachine(machine, now));
  const resetAt = cleanHistory(cta.resetAt, timestampFields(now), now);
  const actionDoneAt = cleanHistory(cta.actionDoneAt, timestampFields(now), now);
  const same = machines === cta.machines && resetAt === cta.resetAt && actionDoneAt === cta.actionDoneAt;
  return same ? cta : { ...cta, machines, resetAt, actionDoneAt };
}

function cleanMachine<M extends StateMachine | Tombstone>(machine: M, now: number): M {
  const lastTransitionAt = acceptTime(machine.lastTransitionAt, now);
  const clean = lastTransitionAt === machine.lastTransitionAt ? machine : { ...machine, lastTransitionAt };
  if (isTombstone(clean)) return clean;
  const createdAt = acceptTime(clean.createdAt, now);
  return createdAt === clean.createdAt ? clean : { ...clean, createdAt };
}

function cleanTag(tag: TagState, now: number): TagState {
  const ctasResetAt = cleanHistory(tag.ctasResetAt, ctaResetFields(now), now);
  const activeCtas = mapValues(tag.activeCtas, (activity) => {
    const at = acceptTime(activity.at, now);
    return at === activity.at ? activity : { ...activity, at };
  });
  const same = ctasResetAt === tag.ctasResetAt && activeCtas === tag.activeCtas;
  return same ? tag : { ...tag, ctasResetAt, activeCtas };
}

interface Marks<Mark> {
  readonly timeOf: (mark: Mark) => number;
  readonly clean: (mark: Mark) => Mark;
}

const timestampFields = (now: number): Marks<number> => ({
  timeOf: (mark) => mark,
  clean: (mark) => acceptTime(mark, now),
});

const ctaResetFields = (now: number): Marks<CtaReset> => ({
  timeOf: (mark) => (typeof mark === 'number' ? mark : mark.resetAt),
  clean: (mark) =>
    typeof mark === 'number' ? acceptTime(mark, now) : { ...mark, resetAt: acceptTime(mark.resetAt, now) },
});

/** Timestamps are ascending, so the last one shows whether any is in the future. */
function cleanHistory<Mark>(history: History<Mark>, { timeOf, clean }: Marks<Mark>, now: number) {
  const { marks, clearedAt } = history;
  const last = marks.at(-1);
  const isPast = (time: number | undefined) => time === undefined || acceptTime(time, now) === time;
  if (isPast(clearedAt) && isPast(last && timeOf(last))) return history;
  const distinct = new Map(marks.map(clean).map((mark) => [JSON.stringify(mark), mark]));
  const ascending = [...distinct.values()].sort((left, right) => timeOf(left) - timeOf(right));
  return { marks: ascending, ...(clearedAt !== undefined && { clearedAt: acceptTime(clearedAt, now) }) };
}

/** The map with each value cleaned; the map itself when nothing changed. */
function mapValues<T>(map: StringMap<T>, clean: (value: T) => T): StringMap<T> {
  let copy: Record<string, T> | undefined;
  for (const [key, value] of Object.entries(map)) {
    const cleaned = clean(value);
    if (cleaned === value) continue;
    copy ??= stringMap(map);
    copy[key] = cleaned;
  }
  return copy ?? map;
}
