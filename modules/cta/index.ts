import { defineModule } from '../../core/module.ts';
import { explainIds } from '../../core/named-ids.ts';
import { getUserAttributes, setUserAttributes } from './attribute-operations.ts';
import {
  addCohortUsers,
  createCohort,
  deleteCohort,
  getCohort,
  listCohorts,
  removeCohortUsers,
  updateCohort,
} from './cohort-operations.ts';
import { cloneCta, createCta, setCtaStatus, updateCta } from './cta-operations.ts';
import { ctaErrors } from './errors.ts';
import { idParameters } from './id-listings.ts';
import { explainCta } from './explain-operations.ts';
import { getCtaKillSwitches, setCtaKillSwitch } from './kill-operations.ts';
import { listCtas } from './list-operations.ts';
import {
  createNudgePreview,
  deleteNudgePreview,
  getNudgePreview,
  listNudgePreviews,
} from './preview-operations.ts';
import { ctaRoutes } from './routes.ts';
import { scheduleEveryMs, writeClockMoves } from './scheduler.ts';
import * as tables from './schema.ts';
import { simulateCta } from './simulate-operations.ts';
import { ctaSettings } from './settings.ts';
import { keepStatesBounded, upkeepEveryMs } from './state-upkeep.ts';
import { stateUsage } from './state-usage.ts';
import { purgeCtaUser } from './purge-operations.ts';
import {
  createBehaviourTag,
  deleteBehaviourTag,
  getBehaviourTag,
  linkBehaviourTag,
  listBehaviourTags,
  unlinkBehaviourTag,
  updateBehaviourTag,
} from './tag-operations.ts';
import { createTenant } from './tenant-operations.ts';
import { getCta, listCtaStatusChanges, listCtaVersions, revertCta } from './version-operations.ts';

/** Area B: calls to action at app launch, their state per user, behaviour tags and nudge previews. */
export const cta = defineModule({
  name: 'cta',
  requires: ['auth'],
  errors: ctaErrors,
  settings: ctaSettings,
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
      run: async (host) => void (await writeClockMoves(host)),
    },
    {
      name: 'cta-state-upkeep',
      everyMs: upkeepEveryMs,
      run: async (host) => void (await keepStatesBounded(host)),
    },
  ],
  start: (host) => Promise.resolve(() => stateUsage(host).flush()),
});
