import type { Query } from '../../../../core/db/query/db.ts';
import { liveTestIds } from '../../runs/run-case-store.ts';
import { offeredRenames } from '../../runs/unmatched-result-store.ts';
import { keyHash, keyText } from './automation-key.ts';
import { keysOfTests } from './automation-key-store.ts';
import type { MatchedCases } from './case-match.ts';
import { sureFrom } from './rename.ts';
import { unmatchedCases, type FoundRename } from './rename-search.ts';
import { testsOfRun } from '../rows/run-tests-store.ts';
import type { UploadCases } from '../rows/upload-cases.ts';

interface Offering {
  readonly projectId: number;
  /** The run of the upload, if there is one. */
  readonly runId: number | undefined;
  readonly accept: boolean;
  readonly signal: AbortSignal;
}

/** With more unmatched cases than this, a different suite was uploaded, for which no renames were offered. */
const lookedAtMost = 20_000;

/**
 * The renames found by an upload, plus open offers of earlier uploads: once the old name is missing in the compared run as well, no search
 * finds it again. Declined pairs are omitted.
 */
export async function withOpenOffers(
  q: Query,
  upload: UploadCases,
  matched: MatchedCases,
  found: readonly FoundRename[],
  { projectId, runId, accept, signal }: Offering,
): Promise<readonly FoundRename[]> {
  const cases = await unmatchedCases(upload, matched, signal);
  if (cases.length === 0 || cases.length > lookedAtMost) return found;
  const hashes = new Map(cases.map((one) => [one.at, keyHash(keyText(one.key))]));
  const offers = await offeredRenames(q, projectId, [...hashes.values()], signal);
  if (offers.size === 0) return found;
  const offerAt = (at: number) => offers.get(hashes.get(at) ?? '');
  const renames = found.filter(({ at, testId }) => {
    const offer = offerAt(at);
    return !(offer?.declined && offer.renameOf === testId);
  });

  const [takenCases, seen] = [new Set<number>(), new Set(matched.testIds)];
  for (const { at, testId } of renames) {
    takenCases.add(at);
    seen.add(testId);
  }
  for (const testId of (await testsOfRun(q, runId, signal)).ids()) seen.add(testId);
  const asked = cases.flatMap((one) => {
    const offer = offerAt(one.at);
    if (!offer || offer.declined || takenCases.has(one.at) || seen.has(offer.renameOf)) return [];
    seen.add(offer.renameOf);
    return [{ ...one, testId: offer.renameOf, similarity: (offer.similarity ?? 0) / 1_000 }];
  });
  const ids = asked.map(({ testId }) => testId);
  const live = await liveTestIds(q, projectId, ids, signal);
  const keys = await keysOfTests(q, ids, signal);
  const again = asked.flatMap(({ at, key, file, testId, similarity }): FoundRename[] => {
    const present = keys.get(testId)?.key;
    if (!present || !live.has(testId)) return [];
    const rename = { testId, at, from: present, present, to: key, similarity };
    return [
      { ...rename, ...(file === undefined ? {} : { file }), accepted: accept && similarity >= sureFrom },
    ];
  });
  return [...renames, ...again];
}
