import type { Actor } from '../../../../core/base/actor.ts';
import type { Query } from '../../../../core/db/query/db.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import type { StoredAttempt } from '../../base/pipeline-schema.ts';
import { runToChange } from '../../runs/run-store.ts';
import { testsWithResult } from '../../runs/run-status-store.ts';
import { idsPerQuery } from '../../base/statement-sizes.ts';
import { combined } from '../rows/attempt.ts';
import { keyHash, keyText, nameIn, type AutomationKey } from '../matching/automation-key.ts';
import type { MatchedCases } from '../matching/case-match.ts';
import type { FoundRename } from '../matching/rename-search.ts';
import { attemptsOf } from '../rows/reported-result-store.ts';
import { recordReported } from '../rows/result-recording.ts';
import {
  hasUnmatched,
  removeUnmatched,
  storeUnmatched,
  unmatchedInRun,
  unmatchedOfKeys,
  type UnmatchedResult,
} from '../../runs/unmatched-result-store.ts';
import {
  resultOfGroup,
  type CaseGroup,
  type GroupResult,
  type PlacedCase,
} from '../matching/upload-group.ts';

/** A case without a test, with its result. */
export interface UnmatchedCase {
  readonly lead: PlacedCase;
  readonly result: GroupResult;
}

interface Unmatched {
  readonly matched: MatchedCases;
  readonly job: string;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The results of cases without a test, including results that the run already has. Yields to other requests. */
export async function resultsOfUnmatched(
  q: Query,
  cases: readonly PlacedCase[],
  { runId, matched, job, now, signal }: Unmatched & { readonly runId: number | undefined },
): Promise<{
  readonly known: ReadonlyMap<string, UnmatchedResult>;
  readonly results: ReadonlyArray<UnmatchedCase & { readonly hash: string }>;
}> {
  const hashes = await inTurns(digests(cases, matched), signal);
  const known =
    runId === undefined || cases.length === 0
      ? new Map<string, UnmatchedResult>()
      : await unmatchedInRun(q, runId, hashes, signal);
  const results = cases.map((lead, index) => {
    const hash = hashes[index] ?? '';
    const group = { testId: 0, lead, others: [] };
    const before = known.get(hash)?.attempts ?? [];
    return { lead, hash, result: resultOfGroup(matched, group, before, { job, now }) };
  });
  return { known, results };
}

function* digests(cases: readonly PlacedCase[], matched: MatchedCases): Generator<void, readonly string[]> {
  const found: string[] = [];
  for (const { at, reported } of cases) {
    found.push(keyHash(keyText(matched.keyAt(at, reported))));
    yield;
  }
  return found;
}

/** Stores the results of cases without a test in the run. In a transaction that locks it. */
export async function storeUnmatchedCases(
  q: Query,
  cases: readonly PlacedCase[],
  {
    projectId,
    runId,
    offered,
    ...rest
  }: Unmatched & {
    readonly projectId: number;
    readonly runId: number;
    readonly offered: ReadonlyMap<number, FoundRename>;
  },
): Promise<readonly UnmatchedCase[]> {
  if (cases.length === 0) return [];
  const { known, results } = await resultsOfUnmatched(q, cases, { runId, ...rest });
  const rows = results.flatMap(({ lead: { at, reported }, hash, result }): UnmatchedResult[] => {
    const offer = offered.get(at);
    const isOffered = offer !== undefined && known.get(hash)?.renameOf !== offer.testId;
    if (!result.isNews && !isOffered) return [];
    const key = rest.matched.keyAt(at, reported);
    return [
      {
        runId,
        projectId,
        keyHash: hash,
        key: keyText(key),
        ...nameIn(key),
        status: result.result.status,
        flaky: result.result.flaky,
        attempts: [...result.attempts],
        file: result.file ?? null,
        line: result.line ?? null,
        details: result.details ?? null,
        renameOf: offer?.testId ?? null,
        similarity: offer === undefined ? null : Math.round(offer.similarity * 1_000),
        declined: false,
      },
    ];
  });
  await storeUnmatched(q, runId, rows, { known, signal: rest.signal });
  return results;
}

/**
 * Takes over the run's earlier results of cases that had no test then and have one now, by `create` or an accepted rename. In a transaction
 * that locks the run.
 * @returns their attempts by position.
 */
export async function takeUnmatched(
  q: Query,
  runId: number,
  groups: readonly CaseGroup[],
  { matched, signal }: { readonly matched: MatchedCases; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, readonly StoredAttempt[]>> {
  const found = new Map<number, readonly StoredAttempt[]>();
  if (groups.length === 0 || !(await hasUnmatched(q, runId))) return found;
  const leads = groups.map(({ lead }) => lead);
  const hashes = await inTurns(digests(leads, matched), signal);
  const known = await unmatchedInRun(q, runId, hashes, signal);
  for (const [index, { at }] of leads.entries()) {
    const row = known.get(hashes[index] ?? '');
    if (row) found.set(at, row.attempts);
  }
  if (known.size > 0) await removeUnmatched(q, runId, [...known.keys()], signal);
  return found;
}

/** The most results that a rename joins: each run costs a few statements, during which other writers wait. */
const joinedAtMost = 200;

/** A case that has been matched to a test. */
interface FoundTest {
  readonly testId: number;
  readonly to: AutomationKey;
}

interface Joining {
  readonly projectId: number;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly dryRun?: boolean;
}

/**
 * Gives tests the results that were reported before their cases were matched, with the times of their runs, in the newest 200 unlocked
 * runs. A run that has another result of the test keeps both. In a transaction that locks the project.
 * @returns how many results were joined.
 */
export async function joinUnmatched(
  q: Query,
  found: readonly FoundTest[],
  { projectId, actor, signal, dryRun = false }: Joining,
): Promise<number> {
  const tests = new Map(found.map(({ testId, to }) => [keyHash(keyText(to)), testId]));
  const hashes = [...tests.keys()].slice(0, idsPerQuery);
  if (hashes.length === 0) return 0;
  const rows = await unmatchedOfKeys(q, projectId, hashes, joinedAtMost);
  let joined = 0;
  for (const [runId, ofRun] of Map.groupBy(rows, (row) => row.runId)) {
    const ids = ofRun.map(({ keyHash: hash }) => tests.get(hash) ?? 0);
    // Locked before its results are read, so that none is reported in between.
    const run = dryRun ? undefined : await runToChange(q, actor, { projectId, runId });
    const reported = await attemptsOf(q, runId, ids, signal);
    const decided = await testsWithResult(q, runId, ids);
    const taken = new Set<number>();
    const news = ofRun.flatMap((row) => {
      const testId = tests.get(row.keyHash) ?? 0;
      const result = combined(row.attempts);
      if (!result || reported.has(testId) || decided.has(testId) || taken.has(testId)) return [];
      taken.add(testId);
      const { attempts, file, line, details } = row;
      const known = { file: file ?? undefined, line: line ?? undefined, details: details ?? undefined };
      return [{ hash: row.keyHash, reported: { testId, result, attempts, ...known }, hadMessage: false }];
    });
    joined += news.length;
    if (!run || news.length === 0) continue;
    await recordReported(q, run, news, { by: actor.userId, now: run.createdAt, signal });
    await removeUnmatched(
      q,
      runId,
      news.map(({ hash }) => hash),
      signal,
    );
    if (turnIsOver()) await nextTurn(signal);
  }
  return joined;
}
