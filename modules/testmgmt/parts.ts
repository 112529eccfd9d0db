import type { ModuleParts } from '../../core/module.ts';
import { explainIds } from '../../core/tools/id-explanation.ts';
import { countCheck } from './projects/count-store.ts';
import { idParameters } from './id-listings.ts';
import { downloadTests } from './transfer/export-operations.ts';
import { importTests } from './transfer/import-operations.ts';
import {
  addLabels,
  addSquads,
  classificationListings,
  getLabels,
  getSquads,
} from './metadata/metadata-operations.ts';
import {
  createProject,
  editProject,
  getOrgDetails,
  getOrgsList,
  getProjectDetail,
  getProjects,
  updateProjectStatus,
} from './projects/project-operations.ts';
import { downloadReport } from './reports/report-operations.ts';
import {
  getRunStateDetail,
  getRunTestsList,
  getRunTestStatus,
  getTestStatusHistory,
  getTestStatusHistoryInRun,
  runReset,
  runUpdateTestStatus,
} from './runs/result-operations.ts';
import {
  addTestsToRun,
  createRun,
  deleteRunOperation,
  editRun,
  getRuns,
  runDetail,
  runLock,
  runRemoveTests,
  unlockRun,
} from './runs/run-operations.ts';
import * as tables from './schema.ts';
import { addSection, deleteSection, editSection, getSections } from './sections/section-operations.ts';
import { bulkAddTests, bulkDeleteTests, bulkUpdateTests } from './cases/case-bulk-operations.ts';
import {
  createTest,
  deleteTest,
  getTestDetails,
  getTests,
  getTestsCount,
  restoreTest,
  updateTest,
} from './cases/case-operations.ts';
import { getAllUsers, getUserDetails } from './projects/user-operations.ts';

/** The parts of Area C. */
export const parts: ModuleParts = {
  tables,
  checks: [countCheck],
  operations: [
    getOrgsList,
    getOrgDetails,
    getProjects,
    getProjectDetail,
    createProject,
    editProject,
    updateProjectStatus,
    getTests,
    getTestDetails,
    getTestsCount,
    getTestStatusHistory,
    getTestStatusHistoryInRun,
    downloadTests,
    createTest,
    updateTest,
    deleteTest,
    bulkAddTests,
    bulkUpdateTests,
    bulkDeleteTests,
    getRuns,
    runDetail,
    getRunTestsList,
    getRunTestStatus,
    getRunStateDetail,
    downloadReport,
    createRun,
    editRun,
    deleteRunOperation,
    runUpdateTestStatus,
    runLock,
    runReset,
    runRemoveTests,
    getLabels,
    getSections,
    getSquads,
    ...classificationListings,
    addLabels,
    addSquads,
    addSection,
    editSection,
    getUserDetails,
    getAllUsers,
    unlockRun,
    addTestsToRun,
    restoreTest,
    deleteSection,
    importTests,
    // Every tool that takes ids explains names that were given instead.
  ].map((operation) => ({ ...operation, explain: explainIds(idParameters) })),
};
