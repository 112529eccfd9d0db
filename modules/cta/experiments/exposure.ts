/** Under which ids a person saw a CTA: two users who became one, e.g. a guest who signed in, may have seen it as either. */
export interface Exposure {
  readonly userId: string;
  /** Epoch milliseconds; null: never. */
  readonly exposedAt: number | null;
  /** The ids before an earlier joining; null: none but `userId`. */
  readonly exposedAs: readonly string[] | null;
}

/** More ids than these say nothing new: whoever has two with different arms is left out. */
const maxIds = 8;

/**
 * The ids under which the joined user saw the CTA, that of the first exposure first: it decides the arm from then on. Empty: nobody saw it.
 */
export function joinedExposures(left: Exposure, right: Exposure): readonly string[] {
  const sides = [left, right]
    .filter(({ exposedAt }) => exposedAt !== null)
    .sort((one, other) => Number(one.exposedAt) - Number(other.exposedAt));
  const ids = sides.flatMap(({ userId, exposedAs }) => exposedAs ?? [userId]);
  return [...new Set(ids)].slice(0, maxIds);
}
