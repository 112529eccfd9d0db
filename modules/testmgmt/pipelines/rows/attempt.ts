import type { StoredAttempt } from '../../base/pipeline-schema.ts';
import type { ReportedAttempt, ReportedStatus } from '../../result-files/cases/reported-case.ts';
import { attemptLimit } from '../../result-files/cases/reported-case.ts';

/*
 * A test may run several times for one run: again after a failure, in several jobs, by several cases that name it. All reports are kept,
 * and the effective result follows from them regardless of the order in which uploads arrive.
 */

/**
 * The start times of a case's attempts, which are in file order. Reporters give a time to some attempts only (CTRF of mocha and Playwright:
 * to the last), or have unreliable clocks. So an attempt without a time gets that of the next one, and no attempt is earlier than its
 * predecessor.
 */
function timesOf(attempts: readonly ReportedAttempt[], now: number): readonly number[] {
  let next = attempts.findLast(({ startedAt }) => startedAt !== undefined)?.startedAt ?? now;
  const said = attempts.toReversed().map(({ startedAt }) => (next = startedAt ?? next));
  let before = -Infinity;
  return said.toReversed().map((at) => (before = Math.max(before, at)));
}

/** The attempts of one case in stored form. */
export function attemptsToStore(
  attempts: readonly ReportedAttempt[],
  { part, job, now }: { readonly part: string; readonly job: string; readonly now: number },
): readonly StoredAttempt[] {
  const times = timesOf(attempts, now);
  const seen = new Map<string, number>();
  return attempts.map(({ status, durationMs, startedAt, message }, index) => {
    const at = times[index] ?? now;
    const said = JSON.stringify([part, job, status, durationMs, startedAt, message]);
    const count = (seen.get(said) ?? 0) + 1;
    seen.set(said, count);
    // Without a time only its place tells a pass after a failure from the pass of an earlier upload, which was before that failure.
    const number = startedAt === undefined ? index + 1 : count;
    return {
      id: Bun.hash.xxHash64(`${number} ${said}`).toString(36),
      part,
      job,
      status,
      at,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(message === undefined ? {} : { message }),
    };
  });
}

/** The known attempts together with the new ones, oldest first; the same array when nothing is new to them. */
export function mergedAttempts(
  known: readonly StoredAttempt[],
  given: readonly StoredAttempt[],
): readonly StoredAttempt[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = given.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return known;
  // The sort is stable: attempts of one case without times stay in file order.
  const kept = keptAttempts([...known, ...added].toSorted((a, b) => a.at - b.at));
  return kept.length === known.length && kept.every(({ id }) => ids.has(id)) ? known : kept;
}

/**
 * The attempts that say most, if there are too many: in a large matrix, or among many cases that name one test, a failure must not be
 * forgotten because others passed after it.
 * @param attempts oldest first.
 */
function keptAttempts(attempts: readonly StoredAttempt[]): readonly StoredAttempt[] {
  if (attempts.length <= attemptLimit) return attempts;
  const weights = new Map<StoredAttempt, number>();
  for (const { status, deciding, failedBefore } of resultsOf(attempts)) {
    weights.set(deciding, { failed: 3, passed: failedBefore ? 2 : 1, skipped: 0 }[status]);
    if (failedBefore) weights.set(failedBefore, 2);
  }
  const weightOf = (one: StoredAttempt) => weights.get(one) ?? 0;
  // The newest of one weight, so a failure is not kept without the attempt that passed after it.
  const kept = new Set(
    attempts
      .toReversed()
      .toSorted((a, b) => weightOf(b) - weightOf(a))
      .slice(0, attemptLimit),
  );
  return attempts.filter((one) => kept.has(one));
}

/** The effective result. */
export interface CombinedResult {
  readonly status: ReportedStatus;
  /** In some job it passed after it had failed. */
  readonly flaky: boolean;
  /** The deciding attempt, for its time and message. */
  readonly deciding: StoredAttempt;
}

/**
 * Within a job, the last attempt of a case counts. A test that failed in one job and passed in another has failed: a result from another
 * machine is a different result, not a later one. A skipped attempt does not count if another one ran.
 */
export function combined(attempts: readonly StoredAttempt[]): CombinedResult | undefined {
  const results = resultsOf(attempts);
  const worst =
    results.find(({ status }) => status === 'failed') ??
    results.find(({ status }) => status === 'passed') ??
    results[0];
  if (!worst) return undefined;
  const { status, deciding } = worst;
  return { status, deciding, flaky: results.some(({ failedBefore }) => failedBefore !== undefined) };
}

/** The result of each case in each job. @param attempts oldest first. */
const resultsOf = (attempts: readonly StoredAttempt[]) =>
  [...Map.groupBy(attempts, ({ job, part }) => `${job}\n${part}`).values()].flatMap((group) => {
    const ran = group.filter(({ status }) => status !== 'skipped');
    const deciding = (ran.length > 0 ? ran : group).at(-1);
    if (!deciding) return [];
    const { status } = deciding;
    const failedBefore = status === 'passed' ? ran.findLast((one) => one.status === 'failed') : undefined;
    return [{ status, deciding, failedBefore }];
  });
