import type { CombinedResult } from '../rows/attempt.ts';
import { attemptsToStore, combined, mergedAttempts } from '../rows/attempt.ts';
import { foundBy, type MatchedCases } from './case-match.ts';
import type { ReportedDetails, StoredAttempt } from '../../base/pipeline-schema.ts';
import type { ReportedResult } from '../rows/reported-result-store.ts';
import type { ReportedCase } from '../../result-files/cases/reported-case.ts';
import type { UploadCases } from '../rows/upload-cases.ts';

/** A reported case and its position in the upload. */
export interface PlacedCase {
  readonly at: number;
  readonly reported: ReportedCase;
}

/** The reported cases of one test: usually one; several when they name the test themselves. */
export interface CaseGroup {
  /** 0: the test will be created. */
  readonly testId: number;
  readonly lead: PlacedCase;
  readonly others: readonly PlacedCase[];
}

/** Groups that are stored together, including cases without a test between them. */
export interface GroupChunk {
  readonly groups: readonly CaseGroup[];
  readonly unmatched: readonly PlacedCase[];
  /** The number of cases in the upload up to the end of the chunk. */
  readonly upTo: number;
}

/**
 * The groups of an upload in chunks of about `size`.
 * @param create cases without a test are groups of their own.
 */
export function* groupsInChunks(
  upload: UploadCases,
  matched: MatchedCases,
  { create, size }: { readonly create: boolean; readonly size: number },
): Generator<GroupChunk, void> {
  joinNamed(upload, matched);
  let [groups, unmatched]: [CaseGroup[], PlacedCase[]] = [[], []];
  for (const { from, cases } of upload.batches()) {
    for (const [index, reported] of cases.entries()) {
      const lead = { at: from + index, reported };
      const testId = matched.testIds[lead.at] ?? 0;
      if (testId === 0 && !create) {
        unmatched.push(lead);
        continue;
      }
      const [first = lead.at, ...others] = (testId === 0 ? undefined : matched.namedAt(testId)) ?? [];
      if (first === lead.at) groups.push({ testId, lead, others: placed(matched, others) });
    }
    if (groups.length + unmatched.length < size) continue;
    yield { groups, unmatched, upTo: from + cases.length };
    [groups, unmatched] = [[], []];
  }
  if (groups.length + unmatched.length > 0) yield { groups, unmatched, upTo: upload.count };
}

const placed = (matched: MatchedCases, positions: readonly number[]): readonly PlacedCase[] =>
  positions.flatMap((at) => {
    const reported = matched.laterAt(at);
    return reported ? [{ at, reported }] : [];
  });

/** Adds cases that found a test by its key to the cases that name it. */
function joinNamed(upload: UploadCases, matched: MatchedCases): void {
  const beside = new Set<number>();
  // Without an iterator, which would create a pair for each of a million cases.
  for (let at = 0; at < matched.foundBy.length; at++) {
    const by = matched.foundBy[at];
    if (by !== foundBy.id && by !== foundBy.nothing && matched.namedAt(matched.testIds[at] ?? 0))
      beside.add(at);
  }
  if (beside.size === 0) return;
  for (const { from, cases } of upload.batches())
    for (const [index, reported] of cases.entries())
      if (beside.has(from + index)) matched.joinNamed(from + index, reported);
}

interface UploadedBy {
  readonly job: string;
  readonly now: number;
}

/** The combined result of a test's cases and its stored attempts. */
export interface GroupResult extends Omit<ReportedResult, 'testId'> {
  /** Whether anything new was reported. */
  readonly isNews: boolean;
  readonly result: CombinedResult;
}

/** @param known the stored attempts. */
export function resultOfGroup(
  matched: MatchedCases,
  { lead, others }: CaseGroup,
  known: readonly StoredAttempt[],
  { job, now }: UploadedBy,
): GroupResult {
  const given = [lead, ...others].flatMap(({ at, reported }) =>
    attemptsToStore(reported.attempts, { part: matched.partAt(at), job, now }),
  );
  const attempts = mergedAttempts(known, given);
  const result = combined(attempts);
  if (!result) throw new Error('a case without an attempt');
  return { isNews: attempts !== known, attempts, result, ...detailsOf(lead.reported) };
}

function detailsOf({ file, line, tags, properties, attachments, output }: ReportedCase) {
  const details: ReportedDetails = {
    ...(tags && tags.length > 0 ? { tags } : {}),
    ...(properties && Object.keys(properties).length > 0 ? { properties } : {}),
    ...(attachments && attachments.length > 0 ? { attachments } : {}),
    ...(output === undefined || output === '' ? {} : { output }),
  };
  return { file, line, details: Object.keys(details).length > 0 ? details : undefined };
}
