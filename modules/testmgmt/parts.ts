import type { ModuleParts } from '../../core/module/module.ts';
import { testmgmtMetrics } from './base/metrics.ts';
import { catchUpAll, catchUpEveryMs, outcomeCheck } from './outcomes/outcome-check.ts';
import * as pipelineTables from './base/pipeline-schema.ts';
import { badgeRoutes } from './pipelines/badge-routes.ts';
import { countCheck } from './projects/count-store.ts';
import { textMarks } from './query/query-mark-schema.ts';
import { markEveryMs, markTexts } from './query/query-mark-store.ts';
import { deleteOldResults, retentionEveryMs } from './runs/result-retention.ts';
import * as tables from './base/schema.ts';

/** The parts of Area C besides its operations. */
export const parts: ModuleParts = {
  routes: badgeRoutes,
  tables: { ...tables, ...pipelineTables, textMarks },
  metrics: testmgmtMetrics,
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
};
