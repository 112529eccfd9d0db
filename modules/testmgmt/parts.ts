import { nextTurn } from '../../core/base/turns.ts';
import type { ModuleParts } from '../../core/module/module.ts';
import { testmgmtMetrics } from './base/metrics.ts';
import { catchUpAll, catchUpEveryMs, outcomeCheck } from './outcomes/outcome-check.ts';
import * as followingTables from './base/following-schema.ts';
import { milestonesEveryMs, tellMilestones } from './letters/milestone-letters.ts';
import { tellEveryMs, tellNewlyFailing } from './letters/newly-failing-job.ts';
import * as evidenceTables from './base/evidence-schema.ts';
import * as planningTables from './base/planning-schema.ts';
import * as pipelineTables from './base/pipeline-schema.ts';
import { deleteOldAttachments, attachmentUpkeepEveryMs } from './attachments/attachment-upkeep.ts';
import { groupFailures, groupFailuresEveryMs } from './failures/failure-upkeep.ts';
import { badgeRoutes } from './pipelines/badge-routes.ts';
import { countCheck } from './projects/count-store.ts';
import { textMarks } from './query/query-mark-schema.ts';
import { markEveryMs, markTexts } from './query/query-mark-store.ts';
import { deleteOldResults, retentionEveryMs } from './runs/result-retention.ts';
import { sectionCheck } from './sections/section-check-store.ts';
import { shareRoutes } from './sharing/share-routes.ts';
import { deleteExpired } from './sharing/share-link-store.ts';
import { savedViews } from './saved-views/saved-view-schema.ts';
import { shareLinks } from './sharing/share-schema.ts';
import * as versionTables from './base/version-schema.ts';
import { forgetOldVersions, forgetVersionsEveryMs } from './version-history/version-upkeep-store.ts';
import * as reviewTables from './base/review-schema.ts';
import * as fieldTables from './base/field-schema.ts';
import * as importTables from './base/import-schema.ts';
import * as tables from './base/schema.ts';

/** The parts of Area C besides its operations. */
export const parts: ModuleParts = {
  routes: (app, host) => {
    badgeRoutes(app, host);
    shareRoutes(app, host);
  },
  tables: {
    ...tables,
    ...pipelineTables,
    ...evidenceTables,
    ...planningTables,
    ...followingTables,
    ...versionTables,
    ...reviewTables,
    ...fieldTables,
    ...importTables,
    textMarks,
    shareLinks,
    savedViews,
  },
  metrics: testmgmtMetrics,
  checks: [countCheck, outcomeCheck, sectionCheck],
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
      name: 'delete-old-attachments',
      everyMs: attachmentUpkeepEveryMs,
      run: async (host) => void (await deleteOldAttachments(host)),
    },
    {
      name: 'delete-expired-links',
      everyMs: 3_600_000,
      run: async ({ db, clock }) => {
        while (await db.tx((q) => deleteExpired(q, clock.now()))) await nextTurn();
      },
    },
    { name: 'tell-newly-failing', everyMs: tellEveryMs, run: tellNewlyFailing },
    { name: 'tell-milestones', everyMs: milestonesEveryMs, run: tellMilestones },
    {
      name: 'group-failures',
      everyMs: groupFailuresEveryMs,
      run: async (host) => void (await groupFailures(host)),
    },
    {
      name: 'mark-texts',
      everyMs: markEveryMs,
      run: async (host) => void (await markTexts(host)),
    },
    {
      name: 'forget-old-versions',
      everyMs: forgetVersionsEveryMs,
      run: async (host) => void (await forgetOldVersions(host)),
    },
  ],
};
