import type { LastDrop } from './drop.ts';
import type { CtaReset, StateMachine } from './snapshot.ts';
import { compareIds, stringMap, type StringMap } from './string-map.ts';

/**
 * What is stored of one user of one tenant: plain JSON, one document, read and written whole.
 * Times are epoch milliseconds; all but `receivedAt` come from clients.
 */
export interface UserState {
  /** 1: its times may be in the future, as clients sent them; 2: none was in the future when it was received. */
  readonly version: 1 | 2;
  /** By ctaId. */
  readonly ctas: StringMap<CtaState>;
  /** By behaviourTagName. */
  readonly tags: StringMap<TagState>;
  /** Absent while nothing was ever dropped. */
  readonly lastDrop?: LastDrop;
}

export interface CtaState {
  /** By group key. */
  readonly machines: StringMap<StateMachine | Tombstone>;
  readonly resetAt: History<number>;
  readonly actionDoneAt: History<number>;
}

/** What a removed machine leaves behind, so that an older copy of it, sent late, does not come back. */
export interface Tombstone {
  readonly removed: true;
  /** Of the reset that removed the machine: copies up to this time stay away. */
  readonly lastTransitionAt: number;
  /** When this server first heard of it: a client's clock must not decide how long it is kept. */
  readonly receivedAt: number;
}

/** Timestamps: ascending, unique, all later than `clearedAt`. */
export interface History<Mark> {
  readonly marks: readonly Mark[];
  readonly clearedAt?: number;
}

export interface TagState {
  readonly ctasResetAt: History<CtaReset>;
  /** By ctaId. */
  readonly activeCtas: StringMap<Activity>;
}

/** Whether a CTA is active in a tag, as last heard; `at` is {@link unknownTime} when its sender gave no time. */
export interface Activity {
  readonly active: boolean;
  readonly at: number;
}

export const unknownTime = Number.MIN_SAFE_INTEGER;

export const emptyState: UserState = { version: 2, ctas: stringMap(), tags: stringMap() };
export const emptyCtaState: CtaState = {
  machines: stringMap(),
  resetAt: { marks: [] },
  actionDoneAt: { marks: [] },
};

export const emptyTagState: TagState = { ctasResetAt: { marks: [] }, activeCtas: stringMap() };

export const isTombstone = (machine: StateMachine | Tombstone): machine is Tombstone => 'removed' in machine;

/** The CTAs active in a tag, by id. */
export const activeCtaIds = (tag: TagState): string[] =>
  Object.keys(tag.activeCtas)
    .filter((ctaId) => tag.activeCtas[ctaId]?.active === true)
    .sort(compareIds);
/** Whose state: the key of one row. `userId` is a signed 64-bit integer as its shortest decimal text. */
export type StateKey = { readonly tenantId: string; readonly userId: string };
