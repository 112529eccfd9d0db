import { and, asc, eq, inArray, lte } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { cohortMembers } from '../base/schema.ts';
import { maxListUsers, writeCohort, type CohortRow } from './cohort-store.ts';

/** Rows written by one statement, which blocks the event loop for 2 to 5 ms (docs/decisions/time.md). */
const rowsAtOnce = 500;
/** Number of texts sorted at once: 2 ms. */
const sortedAtOnce = 4_000;

/** The time of the change, and a signal that the client has disconnected. */
interface MemberChange {
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Adds users to a list; users who are in it already stay. Yields to other requests between chunks.
 * @throws Fault COHORT_FULL: then nothing is stored.
 */
export async function addMembers(
  q: Query,
  cohort: CohortRow,
  userIds: readonly string[],
  { now, signal }: MemberChange,
): Promise<{ readonly cohort: CohortRow; readonly changed: number }> {
  let changed = 0;
  // In key order, so that the index grows at its end instead of everywhere.
  for await (const chunk of partsInTurns(await sortUnique(userIds, signal), rowsAtOnce, signal)) {
    const added = await q
      .insert(cohortMembers)
      .values(chunk.map((userId) => ({ cohortId: cohort.id, userId })))
      .onConflictDoNothing()
      .returning({ cohortId: cohortMembers.cohortId });
    changed += added.length;
    requireRoom(cohort.size + changed);
  }
  return { cohort: await writeCohort(q, cohort, { size: cohort.size + changed }, now), changed };
}

function requireRoom(size: number): void {
  if (size <= maxListUsers) return;
  throw fail.COHORT_FULL(`A list has at most ${maxListUsers} users; this would make it larger.`, {
    cause: 'userIds',
  });
}

/** Removes users from a list; users who are not in it are ignored. Yields to other requests between chunks. */
export async function removeMembers(
  q: Query,
  cohort: CohortRow,
  userIds: readonly string[],
  { now, signal }: MemberChange,
): Promise<{ readonly cohort: CohortRow; readonly changed: number }> {
  let changed = 0;
  for await (const chunk of partsInTurns(await sortUnique(userIds, signal), rowsAtOnce, signal)) {
    const removed = await q
      .delete(cohortMembers)
      .where(and(eq(cohortMembers.cohortId, cohort.id), inArray(cohortMembers.userId, [...chunk])))
      .returning({ cohortId: cohortMembers.cohortId });
    changed += removed.length;
  }
  return { cohort: await writeCohort(q, cohort, { size: cohort.size - changed }, now), changed };
}

/** Empties a list in chunks: one statement for a million rows would block others for seconds. */
export async function removeAllMembers(q: Query, cohortId: number, signal: AbortSignal): Promise<void> {
  const ofCohort = eq(cohortMembers.cohortId, cohortId);
  for (;;) {
    const [last] = await q
      .select({ userId: cohortMembers.userId })
      .from(cohortMembers)
      .where(ofCohort)
      .orderBy(asc(cohortMembers.userId))
      .limit(1)
      .offset(2 * rowsAtOnce);
    if (!last) break;
    await q.delete(cohortMembers).where(and(ofCohort, lte(cohortMembers.userId, last.userId)));
    if (turnIsOver()) await nextTurn(signal);
  }
  await q.delete(cohortMembers).where(ofCohort);
}

/** The texts sorted and without duplicates. Sorting 100,000 at once took 90 ms. */
export async function sortUnique(texts: readonly string[], signal: AbortSignal) {
  let runs: string[][] = [];
  for await (const chunk of partsInTurns(texts, sortedAtOnce, signal)) runs.push([...new Set(chunk)].sort());
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergedUnique(runs[at] ?? [], runs[at + 1] ?? [], signal));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedUnique(left: readonly string[], right: readonly string[], signal: AbortSignal) {
  const merged: string[] = [];
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    const [a, b] = [left[l], right[r]];
    const next = a === undefined || (b !== undefined && b < a) ? b : a;
    if (a === next) l++;
    if (b === next) r++;
    if (next !== undefined) merged.push(next);
    if (merged.length % 1_000 === 0 && turnIsOver()) await nextTurn(signal);
  }
  return merged;
}
