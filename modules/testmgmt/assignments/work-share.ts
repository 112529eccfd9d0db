/** How tests are dealt to people: as many to each, or as much time to each. */
export const shareRules = ['even', 'estimate'] as const;
export type ShareRule = (typeof shareRules)[number];

export interface ShareableTest {
  readonly testId: number;
  /** How long it probably takes. */
  readonly seconds: number;
}

interface Share {
  readonly userId: number;
  readonly tests: ShareableTest[];
  seconds: number;
}

/** Without forecasts all have equal time, so the number of tests decides. */
const hasLess = (one: Share, other: Share): boolean =>
  one.seconds < other.seconds || (one.seconds === other.seconds && one.tests.length < other.tests.length);

/**
 * Deals tests to people. `even`: in turns, in the order of the tests, so neighbours in a list go to different people. `estimate`: the
 * longest tests first, each to the person with the least time so far; the first of those who have equal. Yields where it may be interrupted.
 * @returns the tests of each person, in the order of the people.
 */
export function* sharedWork(
  tests: readonly ShareableTest[],
  people: readonly number[],
  rule: ShareRule,
): Generator<void, ReadonlyMap<number, readonly ShareableTest[]>> {
  const shares: Share[] = people.map((userId) => ({ userId, seconds: 0, tests: [] }));
  const ordered =
    rule === 'even' ? tests : tests.toSorted((a, b) => b.seconds - a.seconds || a.testId - b.testId);
  for (const [index, one] of ordered.entries()) {
    yield;
    const share =
      rule === 'even'
        ? shares[index % shares.length]
        : shares.reduce((least, each) => (hasLess(each, least) ? each : least));
    share?.tests.push(one);
    if (share) share.seconds += one.seconds;
  }
  return new Map(shares.map((share) => [share.userId, share.tests]));
}
