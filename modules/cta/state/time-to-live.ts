/**
 * For ever, as clients get it: the specification has a long there and, other than for `ctaValidTill`, no null. The
 * greatest number that every client reads without rounding; some 285,000 years.
 */

import type { StateMachine } from './snapshot.ts';

export const endlessTTL = Number.MAX_SAFE_INTEGER;
/** Whether a machine is within its time to live: it ends when it is older than `ttl` milliseconds (CONTRACT §2, step 2). */
export function isAlive(
  { createdAt }: Pick<StateMachine, 'createdAt'>,
  ttl: number | undefined,
  now: number,
) {
  return ttl === undefined || ttl === 0 || ttl === endlessTTL || now - createdAt <= ttl;
}
