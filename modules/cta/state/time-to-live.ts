import type { StateMachine } from './snapshot.ts';

/**
 * The value that means "for ever" to clients: the interface specification has a long there and, unlike for `ctaValidTill`, no null. It is
 * the greatest number that every client reads without rounding, about 285,000 years.
 */
export const endlessTTL = Number.MAX_SAFE_INTEGER;

/**
 * Whether a state machine is within its time to live: it ends when it is older than `ttl` milliseconds (docs/contract.md, Archive).
 * Undefined, 0 and {@link endlessTTL} mean for ever.
 */
export const isAlive = (
  { createdAt }: Pick<StateMachine, 'createdAt'>,
  ttl: number | undefined,
  now: number,
): boolean => ttl === undefined || ttl === 0 || ttl === endlessTTL || now - createdAt <= ttl;
