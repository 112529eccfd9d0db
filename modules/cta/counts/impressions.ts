/** By group key, the state that was last seen and when. */
export type Seen = Readonly<Record<string, readonly [state: string, at: number]>>;

/** The most group keys that are remembered: the newest. */
const maxKeys = 50;

/** When an action, a completion or a dismissal of a CTA came. */
interface Turns {
  /** The last one; null: none. */
  readonly latest: number | null;
  /** Those that are known: only needed for impressions from before the last one, which an app without network sends after it. */
  readonly known: readonly number[];
}

/** Whether turns decide about an impression that are not the last one. */
export const isBeforeLast = (turnedAt: number | null, at: number): boolean =>
  turnedAt !== null && turnedAt > at;

/**
 * Whether an impression is a new one: at most one counts for each entry into a state. A state was entered again when the user has seen
 * another one since, or when something ended: an action, a completion or a dismissal after the last impression.
 *
 * | last seen   | turns      | impression | counts |
 * |-------------|------------|------------|--------|
 * | nothing     |            | 1 at 10    | yes    |
 * | 1 at 10     |            | 1 at 15    | no     |
 * | 1 at 10     | 12         | 1 at 15    | yes    |
 * | 1 at 10     | 9          | 1 at 15    | no     |
 * | 1 at 10     | 20         | 1 at 15    | no     |
 * | 1 at 10     | 12, 20     | 1 at 15    | yes    |
 * | 2 at 10     |            | 1 at 15    | yes    |
 */
export function isNewImpression(
  seen: Seen,
  { latest, known }: Turns,
  { groupKey, state, at }: { readonly groupKey: string; readonly state: string; readonly at: number },
): boolean {
  const last = Object.hasOwn(seen, groupKey) ? seen[groupKey] : undefined;
  if (last === undefined || last[0] !== state) return true;
  const isBetween = (turn: number) => turn > last[1] && turn <= at;
  return latest !== null && (isBetween(latest) || known.some(isBetween));
}

export function withSeen(seen: Seen, groupKey: string, state: string, at: number): Seen {
  const { [groupKey]: before, ...others } = seen;
  const entries = [
    // By time: an object lists keys that are whole numbers in the order of the numbers.
    ...Object.entries(others).sort(([, [, left]], [, [, right]]) => left - right),
    [groupKey, [state, Math.max(at, before?.[1] ?? at)] as const] as const,
  ];
  return Object.fromEntries(entries.slice(-maxKeys));
}

/** What two users have seen who become one. Of a group key that both know, the later impression counts. */
export const joinedSeen = (left: Seen, right: Seen): Seen =>
  [...Object.entries(left), ...Object.entries(right)]
    .sort(([, [, one]], [, [, other]]) => one - other)
    .reduce<Seen>((seen, [groupKey, [state, at]]) => withSeen(seen, groupKey, state, at), {});
