import { caseOfDraft } from './case-draft.ts';
import { isFlaky } from './case-list.ts';
import type { ReportedCase } from './reported-case.ts';

/** The property of a case by which Allure tells that another one is an attempt of the same test. */
export const historyProperty = 'historyId';

/** The history that a case is an attempt of; undefined if its tool names none. */
export const historyOf = ({ properties }: ReportedCase): string | undefined => properties?.[historyProperty];

/** The attempts of one test as one case: the last one decides. @param cases at least one. */
export function joinedAttempts(cases: readonly ReportedCase[]): ReportedCase {
  const startOf = ({ attempts: [first] }: ReportedCase) => first?.startedAt ?? 0;
  const inOrder = cases.toSorted((a, b) => startOf(a) - startOf(b));
  const last = inOrder.at(-1);
  if (!last) throw new Error('a test without an attempt');
  // A single result may have others in other files.
  if (inOrder.length === 1) return last;
  const attempts = inOrder.flatMap((one) => one.attempts);
  const attachments = inOrder.flatMap((one) => one.attachments ?? []);
  return caseOfDraft({ ...last, flaky: isFlaky(last.status, attempts), attempts, attachments });
}
