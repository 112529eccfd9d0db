import type { Query } from '../../../../core/db/query/db.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import type { AutomationKey } from './automation-key.ts';
import { keysOfTests } from './automation-key-store.ts';
import { renamesOf, sureFrom } from './rename.ts';
import { namesInRun } from './name-contest.ts';
import { attemptsOf } from '../rows/reported-result-store.ts';
import type { MatchedCases } from './case-match.ts';
import type { RunTests } from '../rows/run-tests-store.ts';
import type { UploadCases } from '../rows/upload-cases.ts';

/** A test that vanished and a case that appeared, which are probably the same test. */
export interface FoundRename {
  readonly testId: number;
  /** The position of the case in the upload. */
  readonly at: number;
  /** Its name in the compared run. */
  readonly from: AutomationKey;
  /** Its current key. */
  readonly present: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string;
  readonly similarity: number;
  /** Accepted as the same test. */
  readonly accepted: boolean;
}

interface Compared {
  /** The compared run; without one, nothing vanished. */
  readonly runId: number | undefined;
  /** The job of this upload. */
  readonly job: string;
  /** The tests of the compared run; unseen are those in neither this run nor this upload. */
  readonly before: RunTests;
  /** Whether unambiguous pairs are accepted. */
  readonly accept: boolean;
  readonly signal: AbortSignal;
}

/** If more tests vanished, or more cases appeared, they are not renames: a different suite was uploaded. */
const comparedAtMost = 20_000;

/**
 * Looks for tests with a new name or place: tests of the compared run that were not reported, and cases without a test. A shard reports
 * only a few tests of the compared run, but the rest have not vanished. So only tests of the same job are searched where jobs have names,
 * and none unless this run has more than half as many.
 */
export async function findRenames(
  q: Query,
  upload: UploadCases,
  matched: MatchedCases,
  { runId, job, before, accept, signal }: Compared,
): Promise<readonly FoundRename[]> {
  const appeared = matched.testIds.length - matched.foundCount();
  if (runId === undefined || appeared === 0 || before.unseenCount === 0) return [];
  if (before.unseenCount > comparedAtMost && job === '') return [];
  const all = [...before.ids()];
  const ofJob = job === '' ? [] : await testsOfJob(q, all, { runId, job, signal });
  const expected = ofJob.length > 0 ? ofJob : all;
  const vanished = expected.filter((testId) => before.isUnseen(testId));
  if ((expected.length - vanished.length + appeared) * 2 <= expected.length) return [];
  if (Math.max(vanished.length, appeared) > comparedAtMost) return [];
  const keys = await keysOfTests(q, vanished, signal);
  const names = await namesInRun(q, [...keys.keys()], { runId, signal });
  const renames = await inTurns(
    renamesOf(
      [...keys].map(([testId, known]) => ({
        testId,
        ...known,
        present: known.key,
        key: names.get(testId) ?? known.key,
      })),
      await unmatchedCases(upload, matched, signal),
    ),
    signal,
  );
  return renames.map(({ from, to, similarity }) => ({
    testId: from.testId,
    at: to.at,
    from: from.key,
    present: from.present,
    to: to.key,
    ...(to.file === undefined ? {} : { file: to.file }),
    similarity,
    accepted: accept && similarity >= sureFrom,
  }));
}

/** The cases of an upload that no test matches. Yields to other requests. */
export async function unmatchedCases(upload: UploadCases, matched: MatchedCases, signal: AbortSignal) {
  const found: Array<{ at: number; key: AutomationKey; file?: string }> = [];
  for (const { from, cases } of upload.batches()) {
    for (const [index, reported] of cases.entries()) {
      const at = from + index;
      if (matched.testIds[at] !== 0) continue;
      const { file } = reported;
      found.push({ at, key: matched.keyAt(at, reported), ...(file === undefined ? {} : { file }) });
    }
    if (turnIsOver()) await nextTurn(signal);
  }
  return found;
}

/** The given tests that a job reported in a run. */
async function testsOfJob(
  q: Query,
  testIds: readonly number[],
  { runId, job, signal }: { readonly runId: number; readonly job: string; readonly signal: AbortSignal },
): Promise<readonly number[]> {
  const reported = await attemptsOf(q, runId, testIds, signal);
  return testIds.filter((testId) => reported.get(testId)?.some((attempt) => attempt.job === job));
}
