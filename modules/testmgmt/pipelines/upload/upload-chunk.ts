import type { Query } from '../../../../core/db/query/db.ts';
import type { Actor } from '../../../../core/base/actor.ts';
import { runToChange } from '../../runs/run-store.ts';
import { createTests } from './case-creation.ts';
import { mergedAttempts } from '../rows/attempt.ts';
import type { MatchedCases } from '../matching/case-match.ts';
import { attemptsOf } from '../rows/reported-result-store.ts';
import { recordReported } from '../rows/result-recording.ts';
import { storeUnmatchedCases, takeUnmatched, type UnmatchedCase } from './unmatched-results.ts';
import {
  resultOfGroup,
  type CaseGroup,
  type GroupChunk,
  type GroupResult,
} from '../matching/upload-group.ts';
import type { FoundRename } from '../matching/rename-search.ts';

interface Chunk {
  readonly projectId: number;
  readonly runId: number;
  readonly matched: MatchedCases;
  /** The offered renames of cases without a test, by position. */
  readonly offered: ReadonlyMap<number, FoundRename>;
  readonly actor: Actor;
  readonly job: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

interface StoredChunk {
  /** Including the created tests. */
  readonly results: ReadonlyArray<{ readonly group: CaseGroup; readonly result: GroupResult }>;
  readonly unmatched: readonly UnmatchedCase[];
  readonly created: number;
  readonly withoutSections: boolean;
}

/**
 * Stores the results of some tests in one transaction: creates missing tests, adds new ones to the run, stores the attempts, and records
 * the resulting statuses.
 * @throws Fault RUN_LOCKED.
 */
export async function storeChunk(
  q: Query,
  chunk: Pick<GroupChunk, 'groups' | 'unmatched'>,
  { projectId, runId, matched, offered, actor, job, now, signal }: Chunk,
): Promise<StoredChunk> {
  const by = actor.userId;
  const cases = chunk.groups.flatMap(({ testId, lead }) => (testId === 0 ? [lead] : []));
  const run = await runToChange(q, actor, { projectId, runId }, { counts: cases.length > 0 });
  const { testIds, created, withoutSections } =
    cases.length === 0
      ? { testIds: new Map<number, number>(), created: 0, withoutSections: false }
      : await createTests(q, matched, { projectId, cases, by, now, signal });
  const groups = chunk.groups.map((group) =>
    group.testId === 0 ? { ...group, testId: testIds.get(group.lead.at) ?? 0 } : group,
  );

  const ids = groups.map(({ testId }) => testId);
  const known = await attemptsOf(q, runId, ids, signal);
  const taken = await takeUnmatched(q, runId, groups, { matched, signal });
  const results = groups.map((group) => {
    const [stored, added] = [known.get(group.testId) ?? [], taken.get(group.lead.at)];
    const before = added ? mergedAttempts(stored, added) : stored;
    const result = resultOfGroup(matched, group, before, { job, now });
    return { group, before, result: added ? { ...result, isNews: true } : result };
  });
  const news = results.flatMap(({ group, before, result }) =>
    result.isNews
      ? [
          {
            reported: { ...result, testId: group.testId },
            hadMessage: before.some(({ message }) => message !== undefined),
          },
        ]
      : [],
  );
  await recordReported(q, run, news, { by, now, signal });
  const unmatched = await storeUnmatchedCases(q, chunk.unmatched, {
    projectId,
    runId,
    matched,
    offered,
    job,
    now,
    signal,
  });
  return { results, unmatched, created, withoutSections };
}
