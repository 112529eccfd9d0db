/** By group key, the state that was last seen and when. */
export type Seen = Readonly<Record<string, readonly [state: string, at: number]>>;

/** The most group keys that are remembered: the newest. */
const maxKeys = 50;

/**
 * Whether an impression is a new one: at most one counts for each entry into a state. A state was entered again when the user has seen
 * another one since, or when something ended: an action, a completion or a dismissal after the last impression.
 *
 * | last seen   | last turn | impression | counts |
 * |-------------|-----------|------------|--------|
 * | nothing     |           | 1 at 10    | yes    |
 * | 1 at 10     |           | 1 at 15    | no     |
 * | 1 at 10     | 12        | 1 at 15    | yes    |
 * | 1 at 10     | 9         | 1 at 15    | no     |
 * | 2 at 10     |           | 1 at 15    | yes    |
 */
export function isNewImpression(
  seen: Seen,
  turnedAt: number | null,
  { groupKey, state }: { readonly groupKey: string; readonly state: string },
): boolean {
  const last = Object.hasOwn(seen, groupKey) ? seen[groupKey] : undefined;
  if (last === undefined || last[0] !== state) return true;
  return turnedAt !== null && turnedAt > last[1];
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
