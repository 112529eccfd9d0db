import type { CtaReset } from '../state/snapshot.ts';
import type { ShowCounts } from './outcome.ts';

/** Limits on impressions. A limit of 0, or an absent limit, limits nothing. */
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

/** Resets of a CTA, or of the CTAs of a behaviour tag. Each reset is one impression, even at equal times; nothing else is one. */
export interface Resets {
  /** From the response to the launch. */
  readonly before: readonly CtaReset[];
  /** Resets of this session, in the order in which they happened. */
  readonly inSession: readonly CtaReset[];
}

const unitMs: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

/** The length of a window in milliseconds; 0 for a window without length or with an unknown unit. */
export const windowMs = ({ unit = '', value = 0 }: NonNullable<Limits['window']>): number =>
  value * (unitMs[unit] ?? 0);

/**
 * Counts resets. The window begins exactly its length ago, inclusive. A time in the future counts, because a clock that was set back must
 * not lift a limit. A window without length counts nothing.
 */
export function showCountsOf({ before, inSession }: Resets, { window }: Limits, now: number): ShowCounts {
  const length = windowMs(window ?? {});
  const inWindow = (mark: CtaReset) => (typeof mark === 'number' ? mark : mark.resetAt) >= now - length;
  const counted = (marks: readonly CtaReset[]) => marks.filter(inWindow).length;
  return {
    session: inSession.length,
    window: length > 0 ? counted(before) + counted(inSession) : 0,
    lifespan: before.length + inSession.length,
  };
}

/** The first limit that is reached, in the order in which apps check them; null when another impression is allowed. */
export function reachedLimitOf(limits: Limits, counts: ShowCounts): keyof ShowCounts | null {
  for (const scope of ['lifespan', 'window', 'session'] as const) {
    const limit = limits[scope]?.limit ?? 0;
    if (limit > 0 && counts[scope] >= limit) return scope;
  }
  return null;
}
