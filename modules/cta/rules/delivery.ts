/** Limits across all CTAs of a tenant. */
export interface DeliveryLimits {
  /** Seconds that must have passed since the user's last action of any CTA; 0: none. */
  readonly minGapSeconds?: number;
  /** Most actions of all CTAs within 24 hours; 0: no limit. */
  readonly perDay?: number;
  readonly quietHours?: QuietHours;
}

/** Times of day as HH:MM: from the first until just before the second, also over midnight. */
interface QuietHours {
  readonly from: string;
  readonly to: string;
  /** The zone of users whose app sends none. */
  readonly timeZone: string;
}

const deliveryGates = ['delivery.quiet_hours', 'delivery.min_gap', 'delivery.per_day'] as const;
export type DeliveryGate = (typeof deliveryGates)[number];

const dayMs = 24 * 60 * 60_000;

/** Most actions of CTAs that have ended which count: real limits per day are a few, and a state reserves 32 values for all this. */
export const mostEnded = 20;

/** How long an action counts against these limits, and how many of them matter; undefined: none does. */
export function countedActions(
  limits: DeliveryLimits | null,
): { readonly ms: number; readonly most: number } | undefined {
  const { minGapSeconds = 0, perDay = 0 } = limits ?? {};
  if (minGapSeconds === 0 && perDay === 0) return undefined;
  const ms = Math.max(perDay > 0 ? dayMs : 0, minGapSeconds * 1000);
  return { ms, most: Math.min(Math.max(perDay, 1), mostEnded) };
}

/**
 * The first limit that keeps every CTA from a user; null: none does.
 * @param actions the times of the user's actions of all CTAs, epoch milliseconds, in any order.
 * @param zone of the user's app; null or an unknown one: that of the quiet hours.
 */
export function closedDeliveryGate(
  { minGapSeconds = 0, perDay = 0, quietHours }: DeliveryLimits,
  actions: Iterable<number>,
  now: number,
  zone: string | null,
): DeliveryGate | null {
  if (quietHours && isQuiet(quietHours, now, zone)) return 'delivery.quiet_hours';
  let last = -Infinity;
  let today = 0;
  for (const at of actions) {
    // A device may be ahead: its time counts as now.
    const past = Math.min(at, now);
    if (past > last) last = past;
    if (past > now - dayMs) today++;
  }
  if (minGapSeconds > 0 && now - last < minGapSeconds * 1000) return 'delivery.min_gap';
  return perDay > 0 && today >= perDay ? 'delivery.per_day' : null;
}

function isQuiet({ from, to, timeZone }: QuietHours, now: number, zone: string | null): boolean {
  const clock = clockOf(zone) ?? clockOf(timeZone);
  if (!clock) return false;
  const time = clock.format(now);
  return from <= to ? time >= from && time < to : time >= from || time < to;
}

/** Building one takes 50 µs. Apps name their zone, so invented ones must not pile up: there are about 600 real ones. */
const clocks = new Map<string, Intl.DateTimeFormat | undefined>();
const maxClocks = 1_000;

/** Formats times as HH:MM in a zone; undefined: there is no such zone. */
export function clockOf(zone: string | null): Intl.DateTimeFormat | undefined {
  if (zone === null || zone.length > 64) return undefined;
  if (clocks.has(zone)) return clocks.get(zone);
  if (clocks.size >= maxClocks) clocks.clear();
  const clock = newClock(zone);
  clocks.set(zone, clock);
  return clock;
}

function newClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone,
    });
  } catch {
    return undefined;
  }
}
