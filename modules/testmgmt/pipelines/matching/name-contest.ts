import type { Query } from '../../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import { keyParts, type AutomationKey } from './automation-key.ts';
import { keysOfRenamedTests, renamedTests, type StoredKey } from './automation-key-store.ts';
import { foundBy, partOfKey, type MatchedCases } from './case-match.ts';
import type { AcceptedRename } from './rename-acceptance.ts';
import type { StoredAttempt } from '../../base/pipeline-schema.ts';
import { attemptsOf } from '../rows/reported-result-store.ts';

/*
 * A renamed test is found by each of its names, because another branch may still use the old name. If one build contains two of these
 * names, they are two tests: one keeps the history, and the other is new.
 */

interface Builds {
  /** The run of this upload, if it existed before: another shard may have reported the other name. */
  readonly runId: number | undefined;
  /** The run to compare with. */
  readonly before: number | undefined;
  readonly signal: AbortSignal;
}

/** A reported case that found a test by one of its names. */
interface Claim {
  readonly at: number;
  readonly part: string;
  readonly by: number;
}

/**
 * The case that keeps the test: the one whose name this run already uses for the test; else the one whose name the compared run uses; else
 * the one with its current name. Undefined when another upload of this build has the test under a name that is not among them.
 */
function keeperOf(
  claims: readonly Claim[],
  { inRun, inBefore }: { readonly inRun: ReadonlySet<string>; readonly inBefore: ReadonlySet<string> },
): Claim | undefined {
  if (inRun.size > 0) return claims.find(({ part }) => inRun.has(part));
  return (
    claims.find(({ part }) => inBefore.has(part)) ?? claims.find(({ by }) => by === foundBy.key) ?? claims[0]
  );
}

/**
 * Removes each test that has several names from all cases but one.
 * @returns the tests whose current name now belongs to another test, with the name that replaces it.
 */
export async function settleNames(
  q: Query,
  projectId: number,
  matched: MatchedCases,
  { runId, before, signal }: Builds,
): Promise<readonly AcceptedRename[]> {
  const renamed = await renamedTests(q, projectId);
  if (renamed.size === 0) return [];
  const claims = new Map<number, Claim[]>();
  const named = new Set<number>();
  let aliases = false;
  for (const [at, by] of matched.foundBy.entries()) {
    const testId = matched.testIds[at] ?? 0;
    if (!renamed.has(testId)) continue;
    if (by === foundBy.id) named.add(testId);
    if (by !== foundBy.key && by !== foundBy.alias) continue;
    aliases ||= by === foundBy.alias;
    const known = claims.get(testId);
    const claim = { at, part: matched.partAt(at), by };
    if (known) known.push(claim);
    else claims.set(testId, [claim]);
    if (turnIsOver()) await nextTurn(signal);
  }
  // Each test has one name, and nothing was reported before: no other case has a claim.
  if (!aliases && runId === undefined) return [];
  const keys = await keysOfRenamedTests(q, [...claims.keys()], signal);
  const ids = [...keys.keys()];
  const [inRun, inBefore] = [
    await attemptsIn(q, runId, ids, signal),
    await attemptsIn(q, before, ids, signal),
  ];

  const moved: AcceptedRename[] = [];
  for (const [testId, known] of keys) {
    const all = claims.get(testId) ?? [];
    const parts = { inRun: partsOf(inRun, testId, known), inBefore: partsOf(inBefore, testId, known) };
    // A case that names the test itself keeps it; apart from it, only the case with the test's current name does.
    const keeper = named.has(testId) ? all.find(({ by }) => by === foundBy.key) : keeperOf(all, parts);
    for (const { at } of all) if (at !== keeper?.at) matched.unmatch(at);
    const lost = all.find(({ at, by }) => by === foundBy.key && at !== keeper?.at);
    const part = keeper?.part ?? [...parts.inRun.keys()][0];
    const kept = known.find(({ key }) => partOfKey(key) === part);
    const present = known.find(({ isAlias }) => !isAlias);
    if (!lost || !kept || !present) continue;
    const key = keyOfRow(present);
    moved.push({ testId, from: key, present: key, to: keyOfRow(kept), file: kept.file });
    if (turnIsOver()) await nextTurn(signal);
  }
  return moved;
}

type Attempts = ReadonlyMap<number, readonly StoredAttempt[]>;

const attemptsIn = async (
  q: Query,
  runId: number | undefined,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<Attempts> => (runId === undefined ? new Map() : attemptsOf(q, runId, testIds, signal));

/** The names of a test under which a run contains it. */
function partsOf(run: Attempts, testId: number, keys: readonly StoredKey[]): ReadonlySet<string> {
  const reported = new Set(run.get(testId)?.map(({ part }) => part));
  return reported.intersection(new Set(keys.map(({ key }) => partOfKey(key))));
}

const keyOfRow = (row: StoredKey) => keyParts(row.key, row);

/** The names that a run used for the given tests that have several names. */
export async function namesInRun(
  q: Query,
  testIds: readonly number[],
  { runId, signal }: { readonly runId: number; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, AutomationKey>> {
  const keys = await keysOfRenamedTests(q, testIds, signal);
  const attempts = await attemptsOf(q, runId, [...keys.keys()], signal);
  const names = new Map<number, AutomationKey>();
  for (const [testId, known] of keys) {
    const parts = partsOf(attempts, testId, known);
    const key = known.find((one) => parts.has(partOfKey(one.key)));
    if (key) names.set(testId, keyOfRow(key));
  }
  return names;
}
