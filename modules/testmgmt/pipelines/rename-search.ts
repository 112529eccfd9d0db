import type { Query } from '../../../core/db/db.ts';
import { inTurns } from '../../../core/turns.ts';
import type { AutomationKey } from './automation-key.ts';
import { keysOfTests } from './automation-key-store.ts';
import { renamesOf } from './rename.ts';
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
}

/** More tests that vanished, or cases that appeared, are no renames: another suite was uploaded. */
const comparedAtMost = 20_000;

/**
 * Looks for tests with a new name or place: tests of the compared run that nobody reported, and cases of no test. A shard reports few of
 * the tests of the compared run, whose others have not vanished: none is looked for unless this run has more than half as many.
 * @param before the tests of the compared run; `seen` those of this run, with those of this upload.
 */
export async function findRenames(
  q: Query,
  matched: MatchedCases,
  { before, seen, signal }: { before: Iterable<number>; seen: ReadonlySet<number>; signal: AbortSignal },
): Promise<readonly FoundRename[]> {
  const all = [...before];
  const vanished = all.filter((testId) => !seen.has(testId));
  const appeared: number[] = [];
  for (const [at, testId] of matched.testIds.entries()) if (testId === 0) appeared.push(at);
  if (vanished.length === 0 || appeared.length === 0) return [];
  if ((seen.size + appeared.length) * 2 <= all.length) return [];
  if (Math.max(vanished.length, appeared.length) > comparedAtMost) return [];
  const keys = await keysOfTests(q, vanished, signal);
  const renames = await inTurns(
    renamesOf(
      [...keys].map(([testId, known]) => ({ testId, ...known })),
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
  }));
}
