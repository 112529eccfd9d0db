import type { ModuleParts } from '../../core/module.ts';
import { operationsOf } from '../../core/tools/operation-files.ts';
import * as activityOperations from './activity/activity-operations.ts';
import * as caseBulkOperations from './cases/case-bulk-operations.ts';
import * as caseChoiceOperations from './cases/case-choice-operations.ts';
import * as caseRestoreOperations from './cases/case-restore-operations.ts';
import * as caseOperations from './cases/case-operations.ts';
import { idParameters } from './id-listings.ts';
import * as rankedOperations from './insights/ranked-operations.ts';
import * as summaryOperations from './insights/summary-operations.ts';
import * as metadataEditingOperations from './metadata-editing/metadata-editing-operations.ts';
import * as metadataOperations from './metadata/metadata-operations.ts';
import { catchUpAll, catchUpEveryMs, outcomeCheck } from './outcomes/outcome-check.ts';
import { countCheck } from './projects/count-store.ts';
import * as projectOperations from './projects/project-operations.ts';
import * as userOperations from './projects/user-operations.ts';
import { markEveryMs, markTexts } from './query/query-mark-store.ts';
import * as reportOperations from './reports/report-operations.ts';
import * as resultOperations from './runs/result-operations.ts';
import { deleteOldResults, retentionEveryMs } from './runs/result-retention.ts';
import * as runChoiceOperations from './runs/run-choice-operations.ts';
import * as runOperations from './runs/run-operations.ts';
import * as tables from './schema.ts';
import * as sectionOperations from './sections/section-operations.ts';
import * as exportOperations from './transfer/export-operations.ts';
import * as importOperations from './transfer/import-operations.ts';

/** The parts of Area C. */
export const parts: ModuleParts = {
  tables,
  checks: [countCheck, outcomeCheck],
  jobs: [
    {
      name: 'delete-old-results',
      everyMs: retentionEveryMs,
      run: async (host) => void (await deleteOldResults(host)),
    },
    {
      name: 'count-missed-results',
      everyMs: catchUpEveryMs,
      run: async (host) => void (await catchUpAll(host)),
    },
    {
      name: 'mark-texts',
      everyMs: markEveryMs,
      run: async (host) => void (await markTexts(host)),
    },
  ],
  operations: operationsOf(
    [
      exportOperations,
      importOperations,
      metadataOperations,
      metadataEditingOperations,
      projectOperations,
      reportOperations,
      resultOperations,
      runOperations,
      runChoiceOperations,
      sectionOperations,
      caseBulkOperations,
      caseOperations,
      caseChoiceOperations,
      caseRestoreOperations,
      userOperations,
      activityOperations,
      summaryOperations,
      rankedOperations,
    ],
    idParameters,
  ),
};
