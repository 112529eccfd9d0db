import type { Host } from '../../../core/host/host.ts';
import { queueLetters } from '../../../core/letters/letter-store.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { followersOf } from '../following/follow-store.ts';
import { dueNotice, settleNotice, type RunNotice } from '../following/run-notice-store.ts';
import { testsNewlyFailing } from '../insights/run-comparison-store.ts';
import { baselineOfRun } from '../pipelines/rows/run-baseline-store.ts';
import { sourceOf } from '../pipelines/rows/run-results-store.ts';
import { quarantinedTests } from '../quarantine/quarantine-store.ts';
import { runOf } from '../runs/run-store.ts';
import { newlyFailingUnmatched } from '../runs/unmatched-result-store.ts';
import { newlyFailingKind, namedTests } from './newly-failing-letter.ts';

/** How often runs are looked at. */
export const tellEveryMs = 5_000;

/** Runs of one pass of the job. */
const atOnce = 20;

/** The longest name of a case in a letter, in characters; that of a test. Some test tools name a case with a whole page of text. */
const longestName = 255;

/**
 * Queues the letters about runs in which tests newly fail, once for each run and follower. A run is compared outside of the transaction, and
 * its notice is settled in the one that stores the letters: two processes that look at the same run store them once.
 */
export async function tellNewlyFailing(host: Host, signal: AbortSignal): Promise<void> {
  if (!sendsLetters(host)) return;
  for (let left = atOnce; left > 0 && !signal.aborted; left--) {
    const notice = await dueNotice(host.db.q, host.clock.now());
    if (!notice) return;
    const facts = await newlyFailing(host, notice, signal);
    const userIds = facts === null ? [] : await followersOf(host.db.q, notice.projectId);
    await host.db.tx(async (q) => {
      if (!(await settleNotice(q, notice)) || facts === null) return;
      const about = String(notice.runId);
      const letters = userIds.map((userId) => ({ kind: newlyFailingKind, to: { userId }, about, facts }));
      await queueLetters(q, host, letters);
    });
  }
}

/** What newly fails in a run; null: nothing that followers are told of. A case of no test fails a build, so they are told of it, too. */
async function newlyFailing(host: Pick<Host, 'db' | 'clock'>, notice: RunNotice, signal: AbortSignal) {
  const { q } = host.db;
  const { projectId, runId } = notice;
  const run = await runOf(q, runId);
  if (!run) return null;
  // The author of a pull request sees its checks there; others would get a letter for each unfinished change.
  if ((await sourceOf(q, runId))?.pullRequest != null) return null;
  const before = await baselineOfRun(q, { runId, projectId });
  if (!before) return null;
  const pair = { now: runId, before: before.id };
  const ofTests = run.failed === 0 ? [] : await newlyFailingTests(host, { projectId, ...pair }, signal);
  const keys = await newlyFailingUnmatched(q, pair);
  const count = ofTests.length + keys.length;
  if (count === 0) return null;
  const testIds = ofTests.slice(0, namedTests);
  const cases = keys
    .slice(0, namedTests - testIds.length)
    .map((key) => key.slice(0, longestName).toWellFormed());
  return { projectId, runId, beforeId: before.id, count, testIds, cases };
}

/** The tests that newly fail and are not in quarantine. */
async function newlyFailingTests(
  { db: { q }, clock }: Pick<Host, 'db' | 'clock'>,
  { projectId, ...pair }: { readonly projectId: number; readonly now: number; readonly before: number },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const testIds = await testsNewlyFailing(q, pair, signal);
  if (testIds.length === 0) return [];
  const quarantined = await quarantinedTests(q, projectId, clock.now(), signal);
  return testIds.filter((id) => !quarantined.has(id));
}
