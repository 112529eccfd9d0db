import type { CtaFacts, FactsById } from './cta-facts.ts';
import type { LastDrop } from './drop.ts';
import type { CtaReset, StateMachine } from './snapshot.ts';
import { compareIds, stringMap, type StringMap } from './string-map.ts';

/**
 * The stored state of one user of one tenant: one plain JSON document, read and written whole. Times are epoch milliseconds; all but
 * `receivedAt` come from clients.
 */
export interface UserState {
  /** 1: its times may be in the future, as clients sent them; 2: none was in the future when it was received. */
  readonly version: 1 | 2;
  /** By ctaId. */
  readonly ctas: StringMap<CtaState>;
  /** By behaviourTagName. */
  readonly tags: StringMap<TagState>;
  /** By ctaId, the former id under which the user saw the CTA first: it decides the arm of an experiment. */
  readonly shownAs?: StringMap<string>;
  /** Ascending times of actions of CTAs that have ended, as long as they count against limits across CTAs. */
  readonly endedActions?: readonly number[];
  /** Absent if nothing was ever dropped. */
  readonly lastDrop?: LastDrop;
}

export interface CtaState {
  /** By group key. */
  readonly machines: StringMap<StateMachine | Tombstone>;
  readonly resetAt: History<number>;
  readonly actionDoneAt: History<number>;
}

/** Left behind by a removed machine, so that an older copy that arrives late does not restore it. */
export interface Tombstone {
  readonly removed: true;
  /** The time of the reset that removed the machine: copies up to this time are ignored. */
  readonly lastTransitionAt: number;
  /** When this server first received the reset: a client's clock must not decide how long it is kept. */
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

/** Whether a CTA is active in a tag, as last reported; `at` is {@link unknownTime} when the client gave no time. */
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

/** Some CTAs of a tenant. */
interface KnownCtas {
  /** By ctaId: those whose user state is kept. */
  readonly ctas: FactsById<Pick<CtaFacts, 'tag'>>;
  /** The ids of all others that exist. */
  readonly others?: Pick<ReadonlySet<string>, 'has'> | undefined;
}

/**
 * Whether a CTA has ended, or is under another behaviour tag now: nothing resets it there, so it would keep a place for ever. A CTA without a
 * tag stays: of what apps list, the union counts.
 */
export function hasLeftTag({ ctas, others }: KnownCtas, ctaId: string, tag: string): boolean {
  const known = ctas.get(ctaId)?.tag;
  return others?.has(ctaId) === true || (typeof known === 'string' && known !== tag);
}

/** The ids of the CTAs that are active in a tag. */
export const activeCtaIds = (tag: TagState): string[] =>
  Object.keys(tag.activeCtas)
    .filter((ctaId) => tag.activeCtas[ctaId]?.active === true)
    .sort(compareIds);
/** The key of one row. `userId` is a signed 64-bit integer as its shortest decimal text. */
export type StateKey = { readonly tenantId: string; readonly userId: string };
