import type { CombinedResult } from './attempt.ts';
import { attemptsToStore, combined, mergedAttempts } from './attempt.ts';
import { foundBy, type MatchedCases } from './case-match.ts';
import type { ReportedDetails, StoredAttempt } from '../pipeline-schema.ts';
import type { ReportedResult } from './reported-result-store.ts';
import type { ReportedCase } from '../result-files/reported-case.ts';

/** The cases of one test: usually one; several when they name it themselves. */
export interface CaseGroup {
  /** 0: the test is to be created. */
  readonly testId: number;
  /** Positions in the upload. */
  readonly cases: readonly number[];
}

/**
 * The groups of an upload in chunks.
 * @param create cases of no test are groups of their own; otherwise they are left out.
 */
export function* groupsInChunks(
  matched: MatchedCases,
  { create, size }: { readonly create: boolean; readonly size: number },
): Generator<readonly CaseGroup[], void> {
  const named = new Map<number, number[]>();
  for (const [at, by] of matched.foundBy.entries())
    if (by === foundBy.id) named.set(matched.testIds[at] ?? 0, []);
  if (named.size > 0)
    for (const [at, testId] of matched.testIds.entries()) if (testId !== 0) named.get(testId)?.push(at);
  let chunk: CaseGroup[] = [];
  for (const [at, testId] of matched.testIds.entries()) {
    if (testId === 0 && !create) continue;
    const cases = named.get(testId) ?? [at];
    if (cases[0] !== at) continue;
    chunk.push({ testId, cases });
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

export interface UploadedBy {
  readonly job: string;
  readonly now: number;
}

/** What the cases of a test and what is known of it amount to. */
export interface GroupResult extends Omit<ReportedResult, 'testId'> {
  /** Something was reported that was not known. */
  readonly isNews: boolean;
  readonly result: CombinedResult;
}

/** @param known the attempts that are stored. */
export function resultOfGroup(
  matched: MatchedCases,
  { cases }: CaseGroup,
  known: readonly StoredAttempt[],
  { job, now }: UploadedBy,
): GroupResult {
  const given = cases.flatMap((at) => {
    const reported = matched.cases[at];
    if (!reported) return [];
    return attemptsToStore(reported.attempts, { part: matched.partAt(at), job, now });
  });
  const attempts = mergedAttempts(known, given);
  const result = combined(attempts);
  const lead = matched.cases[cases[0] ?? 0];
  if (!result || !lead) throw new Error('a case without an attempt');
  return { isNews: attempts !== known, attempts, result, ...detailsOf(lead) };
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
