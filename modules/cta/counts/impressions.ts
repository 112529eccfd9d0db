/** What was last seen of a group key: the state, and the times of the impressions that counted as entries into it, the newest first. */
type SeenOfKey = readonly [state: string, at: number, ...earlier: number[]];

/** By group key. */
export type Seen = Readonly<Record<string, SeenOfKey>>;

/** The most group keys that are remembered: the newest. */
const maxKeys = 50;

/** The most entries of a group key that are remembered, the newest. If a device repeats an older one, it counts again. */
const maxEntries = 9;

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
 * another one since, or when something ended: an action, a completion or a dismissal after the last impression. Of several devices of a
 * user, one that was offline reports later what was earlier: then something must also have ended before the next impression.
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
 * | 1 at 10     |            | 1 at 5     | no     |
 * | 1 at 10     | 7          | 1 at 5     | yes    |
 * | 1 at 10, 3  | 7          | 1 at 5     | no     |
 * | 1 at 10, 3  | 4, 7       | 1 at 5     | yes    |
 */
export function isNewImpression(
  seen: Seen,
  { latest, known }: Turns,
  { groupKey, state, at }: { readonly groupKey: string; readonly state: string; readonly at: number },
): boolean {
  const last = Object.hasOwn(seen, groupKey) ? seen[groupKey] : undefined;
  if (last === undefined || last[0] !== state) return true;
  const [, ...entries] = last;
  const before = Math.max(...entries.filter((entry) => entry <= at));
  const after = Math.min(...entries.filter((entry) => entry > at));
  const hasTurned = (from: number, to: number) => {
    const isBetween = (turn: number) => turn > from && turn <= to;
    return latest !== null && (isBetween(latest) || known.some(isBetween));
  };
  return (before === -Infinity || hasTurned(before, at)) && (after === Infinity || hasTurned(at, after));
}

export function withSeen(seen: Seen, groupKey: string, state: string, at: number): Seen {
  const { [groupKey]: before, ...others } = seen;
  const entries = [
    // By time: an object lists keys that are whole numbers in the order of the numbers.
    ...Object.entries(others).sort(([, [, left]], [, [, right]]) => left - right),
    [groupKey, withEntry(before, state, at)] as const,
  ];
  return Object.fromEntries(entries.slice(-maxKeys));
}

function withEntry(before: SeenOfKey | undefined, state: string, at: number): SeenOfKey {
  if (before?.[0] !== state) return [state, Math.max(at, before?.[1] ?? at)];
  const [, last, ...earlier] = before;
  const [newest, ...others] = [last, ...earlier, at].sort((left, right) => right - left);
  return [state, newest ?? at, ...others.slice(0, maxEntries - 1)];
}

/** What two users have seen who become one. Of a group key that both know, the later impression counts. */
export const joinedSeen = (left: Seen, right: Seen): Seen =>
  [...Object.entries(left), ...Object.entries(right)]
    .flatMap(([groupKey, [state, ...entries]]) => entries.map((at) => ({ groupKey, state, at })))
    .sort((one, other) => one.at - other.at)
    .reduce<Seen>((seen, { groupKey, state, at }) => withSeen(seen, groupKey, state, at), {});
