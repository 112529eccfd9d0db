import type { CtaReset } from './snapshot.ts';

/** Limits on how often something is shown. A limit of 0, or none, never stops anything. */
export interface Limits {
  readonly session?: { readonly limit?: number | undefined } | undefined;
  readonly window?:
    | {
        readonly limit?: number | undefined;
        readonly unit?: string | undefined;
        readonly value?: number | undefined;
      }
    | undefined;
  readonly lifespan?: { readonly limit?: number | undefined } | undefined;
}

/** How often something was shown so far, in each of the three scopes. */
export interface Counts {
  readonly session: number;
  readonly window: number;
  readonly lifespan: number;
}

export interface When {
  /** Epoch milliseconds. */
  readonly now: number;
  /** When the app session began, epoch milliseconds; null when that is not known: then nothing counts for it. */
  readonly sessionStart: number | null;
}

const unitMs: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** The length of a window in milliseconds, 0 for one without length or with an unknown unit. */
export const windowMs = ({ unit = '', value = 0 }: NonNullable<Limits['window']>): number =>
  value * (unitMs[unit] ?? 0);

/**
 * Showings of a CTA: each reset and each action done is one, and both at one time are one (CONTRACT §2: frequency counts
 * resets as well as actions done).
 */
export const showings = (cta: {
  readonly resetAt: readonly number[];
  readonly actionDoneAt: readonly number[];
}): readonly number[] => [...new Set([...cta.resetAt, ...cta.actionDoneAt])];

/** Showings of a behaviour tag: each reset of one of its CTAs is one. */
export const tagShowings = (ctasResetAt: readonly CtaReset[]): readonly number[] =>
  ctasResetAt.map((mark) => (typeof mark === 'number' ? mark : mark.resetAt));

/**
 * Counts times of showings: the session's from its start on, both ends included; the window's are those less than its
 * length ago. A time in the future counts, as a clock that was set back must not open a limit.
 */
export function countsOf(times: readonly number[], { window }: Limits, { now, sessionStart }: When): Counts {
  const length = windowMs(window ?? {});
  return {
    session: sessionStart === null ? 0 : times.filter((time) => time >= sessionStart).length,
    window: times.filter((time) => now - time < length).length,
    lifespan: times.length,
  };
}

/** The first limit that is used up, in the order session, window, lifespan; null when one more may be shown. */
export function usedUp(limits: Limits, counts: Counts): keyof Counts | null {
  for (const scope of ['session', 'window', 'lifespan'] as const) {
    const limit = limits[scope]?.limit ?? 0;
    if (limit > 0 && counts[scope] >= limit) return scope;
  }
  return null;
}
