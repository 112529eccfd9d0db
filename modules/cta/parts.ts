import type { ModuleParts } from '../../core/module.ts';
import { explainIds } from '../../core/tools/id-explanation.ts';
import { getUserAttributes, setUserAttributes } from './cohorts/attribute-operations.ts';
import {
  createCohort,
  deleteCohort,
  getCohort,
  listCohorts,
  updateCohort,
} from './cohorts/cohort-operations.ts';
import { addCohortUsers, removeCohortUsers } from './cohorts/cohort-member-operations.ts';
import { cloneCta, createCta, getCta, updateCta } from './ctas/cta-operations.ts';
import { listCtaStatusChanges, setCtaStatus } from './ctas/cta-status-operations.ts';
import { idParameters } from './id-listings.ts';
import { explainCta } from './simulation/explain-operations.ts';
import { getCtaKillSwitches, setCtaKillSwitch } from './tags/kill-switch-operations.ts';
import { listCtas } from './ctas/cta-list-operations.ts';
import {
  createNudgePreview,
  deleteNudgePreview,
  getNudgePreview,
  listNudgePreviews,
} from './previews/preview-operations.ts';
import { ctaRoutes } from './launch/launch-routes.ts';
import { scheduleEveryMs, writeClockStatusChanges } from './ctas/cta-scheduler.ts';
import { simulateCta } from './simulation/simulate-operations.ts';
import { keepStatesBounded, upkeepEveryMs } from './user-states/state-upkeep.ts';
import { stateUsage } from './user-states/state-usage.ts';
import { purgeCtaUser } from './user-states/purge-operations.ts';
import {
  createBehaviourTag,
  deleteBehaviourTag,
  getBehaviourTag,
  listBehaviourTags,
  updateBehaviourTag,
} from './tags/tag-operations.ts';
import { linkBehaviourTag, unlinkBehaviourTag } from './tags/tag-link-operations.ts';
import { createTenant } from './tenants/tenant-operations.ts';
import { listCtaVersions, revertCta } from './ctas/cta-version-operations.ts';
import * as tables from './schema.ts';

/** What Area B does. */
export const parts: ModuleParts = {
  tables,
  operations: [
    createTenant,
    createCta,
    updateCta,
    cloneCta,
    setCtaStatus,
    getCta,
    listCtas,
    listCtaVersions,
    revertCta,
    listCtaStatusChanges,
    explainCta,
    simulateCta,
    createBehaviourTag,
    updateBehaviourTag,
    getBehaviourTag,
    listBehaviourTags,
    deleteBehaviourTag,
    linkBehaviourTag,
    unlinkBehaviourTag,
    createCohort,
    updateCohort,
    getCohort,
    listCohorts,
    deleteCohort,
    addCohortUsers,
    removeCohortUsers,
    setUserAttributes,
    getUserAttributes,
    purgeCtaUser,
    setCtaKillSwitch,
    getCtaKillSwitches,
    createNudgePreview,
    getNudgePreview,
    listNudgePreviews,
    deleteNudgePreview,
    // Every tool that takes ids explains names that were given for them.
  ].map((operation) => ({ ...operation, explain: explainIds(idParameters) })),
  routes: ctaRoutes,
  jobs: [
    {
      name: 'cta-schedule',
      everyMs: scheduleEveryMs,
      run: async (host) => void (await writeClockStatusChanges(host)),
    },
    {
      name: 'cta-state-upkeep',
      everyMs: upkeepEveryMs,
      run: async (host) => void (await keepStatesBounded(host)),
    },
  ],
  start: (host) => Promise.resolve(() => stateUsage(host).flush()),
};
