import type { Query } from '../../../core/db/db.ts';
import { inTurns } from '../../../core/turns.ts';
import type { AutomationKey } from './automation-key.ts';
import { keysOfTests } from './automation-key-store.ts';
import { renamesOf, sureFrom } from './rename.ts';
import { namesInRun } from './name-contest.ts';
import { attemptsOf } from './reported-result-store.ts';
import type { MatchedCases } from './case-match.ts';

/** A test that vanished and a case that appeared, which seem to be the same. */
export interface FoundRename {
  readonly testId: number;
  /** The position of the case in the upload. */
  readonly at: number;
  readonly from: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string;
  readonly similarity: number;
  /** Taken as the same test. */
  readonly accepted: boolean;
}

interface Compared {
  /** The compared run; none: nothing vanished. */
  readonly runId: number | undefined;
  /** The job of this upload. */
  readonly job: string;
  /** Its tests. */
  readonly before: Iterable<number>;
  /** Those of this run, with those of this upload. */
  readonly seen: ReadonlySet<number>;
  /** Whether pairs that nobody doubts are accepted. */
  readonly accept: boolean;
  readonly signal: AbortSignal;
}

/** More tests that vanished, or cases that appeared, are no renames: another suite was uploaded. */
const comparedAtMost = 20_000;

/**
 * Looks for tests with a new name or place: tests of the compared run that nobody reported, and cases of no test. A shard reports few of
 * the tests of the compared run, whose others have not vanished. So only those of the same job are looked at, where jobs have names, and
 * none unless this run has more than half as many.
 */
export async function findRenames(
  q: Query,
  matched: MatchedCases,
  { runId, job, before, seen, accept, signal }: Compared,
): Promise<readonly FoundRename[]> {
  const all = [...before];
  const appeared: number[] = [];
  for (const [at, testId] of matched.testIds.entries()) if (testId === 0) appeared.push(at);
  if (runId === undefined || appeared.length === 0 || all.every((testId) => seen.has(testId))) return [];
  const ofJob = job === '' ? [] : await testsOfJob(q, all, { runId, job, signal });
  const expected = ofJob.length > 0 ? ofJob : all;
  const vanished = expected.filter((testId) => !seen.has(testId));
  if ((expected.length - vanished.length + appeared.length) * 2 <= expected.length) return [];
  if (Math.max(vanished.length, appeared.length) > comparedAtMost) return [];
  const keys = await keysOfTests(q, vanished, signal);
  const names = await namesInRun(q, [...keys.keys()], { runId, signal });
  const renames = await inTurns(
    renamesOf(
      [...keys].map(([testId, known]) => ({ testId, ...known, key: names.get(testId) ?? known.key })),
      appeared.map((at) => {
        const file = matched.cases[at]?.file;
        return { at, key: matched.keyAt(at), ...(file === undefined ? {} : { file }) };
      }),
    ),
    signal,
  );
  return renames.map(({ from, to, similarity }) => ({
    testId: from.testId,
    at: to.at,
    from: from.key,
    to: to.key,
    ...(to.file === undefined ? {} : { file: to.file }),
    similarity,
    accepted: accept && similarity >= sureFrom,
  }));
}

/** Those of these tests that a job reported in a run. */
async function testsOfJob(
  q: Query,
  testIds: readonly number[],
  { runId, job, signal }: { readonly runId: number; readonly job: string; readonly signal: AbortSignal },
): Promise<readonly number[]> {
  const reported = await attemptsOf(q, runId, testIds, signal);
  return testIds.filter((testId) => reported.get(testId)?.some((attempt) => attempt.job === job));
}
