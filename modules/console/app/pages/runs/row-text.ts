import { wordOf, type TestStatus } from '../../design/status.tsx';
import type { RunTest } from './run-tests.ts';
import { t } from '../../texts/text.ts';

type Said = Pick<RunTest, 'testName' | 'sectionPath' | 'priority' | 'isDeleted'>;

/** A test of a run as a screen reader says it, e.g. "Pay with PayPal: failed. Section Checkout, Payment. Priority High. Assigned to Ada." */
export function rowText(
  { testName, sectionPath, priority, isDeleted }: Said,
  status: TestStatus,
  assignee: string | null,
): string {
  return [
    `${testName}: ${wordOf(status).toLowerCase()}.`,
    ...(sectionPath.length === 0
      ? []
      : [t('Section {sectionPath}.', { sectionPath: sectionPath.join(', ') })]),
    ...(priority === null ? [] : [t('Priority {priority}.', { priority })]),
    ...(assignee === null ? [] : [t('Assigned to {assignee}.', { assignee })]),
    ...(isDeleted ? [t('The test was deleted.')] : []),
  ].join(' ');
}
