import type { BegunGeneration, Claim, HeldGeneration } from '../replicate/generation-claim.ts';

/*
 * Who may write. An object store without conditions cannot say who was first, so two servers agree by what each reads after it has written,
 * and by time: docs/decisions/standby.md has the reasoning.
 */

/**
 * - `own`: the newest generation is that of this directory, or there is none.
 * - `restored`: it is the one that this directory was restored from, so it goes on once its server has ended.
 * - `missing`: that of this directory is not there any more, e.g. because the target is not mounted.
 * - `fenced`: another directory has begun a newer one.
 */
export type ClaimVerdict = 'own' | 'restored' | 'missing' | 'fenced';

/** Whether a directory may write, by the newest generation at its target. */
export function claimVerdictOf(
  newest: BegunGeneration | undefined,
  holder: string,
  kept: HeldGeneration | undefined,
): ClaimVerdict {
  if (newest === undefined || (kept !== undefined && newest.id < kept.generation))
    return kept?.own ? 'missing' : 'own';
  if (newest.holder === holder) return 'own';
  if (kept === undefined || newest.id > kept.generation) return 'fenced';
  // A version that did not note the holder has begun it.
  return kept.own ? 'own' : 'restored';
}

/** A moment by both clocks of a machine. */
export interface Moment {
  /** Never set, but may stand still while a machine sleeps. */
  readonly steady: number;
  /** May be set. */
  readonly wall: number;
}

/** How much time has passed at most: what one of the clocks missed, the other one may have seen. */
export const lapseMs = (from: Moment, to: Moment): number =>
  Math.max(to.steady - from.steady, to.wall - from.wall);

/**
 * Whether a server must stop writing.
 * @param heldFrom before it began to read, successfully, that no other one has taken over.
 */
export const isLapsed = (heldFrom: Moment | undefined, now: Moment, leaseMs: number): boolean =>
  leaseMs > 0 && (heldFrom === undefined || lapseMs(heldFrom, now) >= leaseMs);

/** For clocks that run at different speeds, and for the way of a request. */
const drift = 1.05;
const marginMs = 300;

/** What a takeover has to do about the other servers. */
interface TakeoverWait {
  /** So long after its own mark is at the target nobody else writes any more. */
  readonly waitMs: number;
  /** A server that says when it stops writing, if it cannot reach the target, is waited for; these do not. */
  readonly unsure: readonly Claim[];
}

/**
 * How long a takeover waits, at most, for the servers that may be writing.
 */
export function takeoverWait(claims: readonly Claim[], holder: string): TakeoverWait {
  const others = claims.filter((claim) => claim.holder !== holder && claim.state === 'held');
  const longest = Math.max(0, ...others.map(({ leaseMs }) => leaseMs));
  return {
    waitMs: longest === 0 ? 0 : Math.ceil(longest * drift) + marginMs,
    unsure: others.filter(({ leaseMs }) => leaseMs === 0),
  };
}
