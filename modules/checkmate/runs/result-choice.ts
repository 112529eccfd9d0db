import { commentOf, readStatus, type StatusWord } from '../words/status-word.ts';

/** A result of a request. */
interface ReceivedResult {
  readonly testId?: number | undefined;
  readonly status?: string | undefined;
  readonly comment?: string | undefined;
}

/** A result for run-update-test-status. */
export interface NewResult {
  readonly testId: number;
  readonly status: StatusWord;
  readonly comment?: string;
}

export interface FailedResult {
  readonly id?: number;
  readonly message: string;
}

/**
 * The results that can be reported, and why the others cannot. Of several results of one test the last one counts.
 * @param common the comment of every result without its own.
 */
export function chosenResults(
  given: readonly ReceivedResult[],
  common: string | undefined,
): {
  readonly results: readonly NewResult[];
  readonly failed: readonly FailedResult[];
  readonly warnings: readonly string[];
} {
  const results = new Map<number, NewResult>();
  const failed: FailedResult[] = [];
  const words = new Map<string, number>();
  let repeated = 0;
  for (const { testId, status, comment } of given) {
    const shownId = testId === undefined ? {} : { id: testId };
    if (testId === undefined || status === undefined) {
      failed.push({
        ...shownId,
        message: testId === undefined ? 'testId is required.' : 'status is required.',
      });
      continue;
    }
    const read = readStatus(status);
    if ('unknown' in read) {
      failed.push({ ...shownId, message: read.unknown });
      continue;
    }
    if (read.word !== undefined) words.set(read.word, (words.get(read.word) ?? 0) + 1);
    if (results.has(testId)) repeated++;
    const said = commentOf(comment ?? common, read.word);
    results.set(testId, { testId, status: read.status, ...(said !== undefined && { comment: said }) });
  }
  const warnings = [...words].map(
    ([word, times]) => `${word} is Untested here: ${times} test(s) have it in their comment.`,
  );
  if (repeated > 0) warnings.push(`${repeated} result(s) were replaced by later ones of the same test.`);
  return { results: [...results.values()], failed, warnings };
}
