import type { TestRecord } from '../cases/case-record.ts';
import { everyClassification } from '../rules/classification.ts';
import { fieldValueAt, ownName, textOfFieldValue } from '../rules/field-value.ts';
import { joined } from '../rules/name-list.ts';
import { guarded } from '../import-files/text/formula-guard.ts';

/** The columns of a CSV export, in order; the import reads them back. Ids of other records are omitted: they differ by project. */
export const testColumns = [
  'testId',
  'testName',
  'testDescription',
  'preconditions',
  'steps',
  'sectionPath',
  ...everyClassification,
  'squad',
  'estimateSeconds',
  'labels',
  'refs',
  'defects',
  'otherLinks',
  'createdBy',
  'createdAt',
  'updatedAt',
  'updatedBy',
  'deletedAt',
] as const;

/** The columns of the project's own fields, after {@link testColumns}. */
export const fieldColumns = (fieldKeys: readonly string[]): readonly string[] => fieldKeys.map(ownName);

/** The cells of a test. Steps and other links are JSON, a section is its path `Checkout > Payment`, labels are a list. */
export function cellsOf(test: TestRecord, fieldKeys: readonly string[] = []): string[] {
  return [
    String(test.testId),
    test.testName,
    test.testDescription,
    test.preconditions,
    test.steps.length > 0 ? JSON.stringify(test.steps) : '',
    joined(test.sectionPath, '>'),
    ...everyClassification.map((kind) => test[kind] ?? ''),
    test.squad ?? '',
    String(test.estimateSeconds ?? ''),
    joined(
      test.labels.map(({ labelName }) => labelName),
      ',',
    ),
    joined(test.refs, ','),
    joined(test.defects, ','),
    test.otherLinks ? JSON.stringify(test.otherLinks) : '',
    String(test.createdBy),
    test.createdAt,
    test.updatedAt,
    String(test.updatedBy ?? ''),
    test.deletedAt ?? '',
    ...fieldKeys.map((key) => textOfFieldValue(fieldValueAt(test.fields, key))),
  ].map(guarded);
}
