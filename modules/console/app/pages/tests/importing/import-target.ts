import type { TableField } from '../../../../../testmgmt/import-files/tables/table-fields.ts';
import { classificationTitle } from '../../../api/classification-title.ts';
import { t } from '../../../texts/text.ts';

/** What a column of an imported table can be. */
export const targetTitles: Readonly<Record<TableField, string>> = {
  testName: t('Name'),
  testDescription: t('Description'),
  preconditions: t('Preconditions'),
  steps: t('All steps in one cell: actions'),
  data: t('All steps in one cell: data'),
  expected: t('All steps in one cell: expected results'),
  stepAction: t('A step in each row: action'),
  stepData: t('A step in each row: data'),
  stepExpected: t('A step in each row: expected result'),
  sectionPath: t('Section'),
  priority: classificationTitle('priority'),
  type: classificationTitle('type'),
  automationStatus: classificationTitle('automationStatus'),
  platform: classificationTitle('platform'),
  testCoveredBy: classificationTitle('testCoveredBy'),
  squad: t('Squad'),
  estimateSeconds: t('Estimate'),
  labels: t('Labels'),
  refs: t('Requirements'),
  defects: t('Defects'),
  externalId: t('Id in the other product'),
  group: t('The same in all rows of a test'),
};

/** What the console calls a parameter of an import; undefined: it is none. */
export const tableTargetTitle = (target: string): string | undefined =>
  Object.hasOwn(targetTitles, target) ? targetTitles[target as TableField] : undefined;
