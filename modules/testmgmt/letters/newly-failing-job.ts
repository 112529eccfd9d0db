import type { Host } from '../../../core/host/host.ts';
import { queueLetters } from '../../../core/letters/letter-store.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { followersOf } from '../following/follow-store.ts';
import { dueNotice, settleNotice, type RunNotice } from '../following/run-notice-store.ts';
import { comparedRuns } from '../insights/run-comparison-store.ts';
import { baselineOfRun } from '../pipelines/rows/run-baseline-store.ts';
import { sourceOf } from '../pipelines/rows/run-results-store.ts';
import { quarantinedTests } from '../quarantine/quarantine-store.ts';
import { runOf } from '../runs/run-store.ts';
import { newlyFailingKind, namedTests } from './newly-failing-letter.ts';

/** How often runs are looked at. */
export const tellEveryMs = 5_000;

/** Runs of one pass of the job. */
const atOnce = 20;

/** Newly failing tests among which those in quarantine are found. */
const mostCompared = 1_000;

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

/** What newly fails in a run; null: nothing that followers are told of. */
async function newlyFailing(
  { db: { q }, clock }: Pick<Host, 'db' | 'clock'>,
  { projectId, runId }: RunNotice,
  signal: AbortSignal,
) {
  const run = await runOf(q, runId);
  if (!run || run.failed === 0) return null;
  // The author of a pull request sees its checks there; others would get a letter for each unfinished change.
  if ((await sourceOf(q, runId))?.pullRequest != null) return null;
  const before = await baselineOfRun(q, { runId, projectId });
  if (!before) return null;
  const asked = { change: 'newly-failing', limit: mostCompared, offset: 0, signal } as const;
  const { total, tests } = await comparedRuns(q, { now: runId, before: before.id }, asked);
  if (total === 0) return null;
  const quarantined = await quarantinedTests(q, projectId, clock.now(), signal);
  const failing = tests.flatMap(({ test }) => (quarantined.has(test.id) ? [] : [test.id]));
  const count = total - (tests.length - failing.length);
  if (count <= 0) return null;
  return { projectId, runId, beforeId: before.id, count, testIds: failing.slice(0, namedTests) };
}
