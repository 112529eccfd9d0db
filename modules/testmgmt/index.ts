import { defineModule } from '../../core/module.ts';
import { testmgmtErrors } from './errors.ts';
import { downloadTests } from './export-operations.ts';
import { createProject, getOrgsList, getProjects } from './project-operations.ts';
import { createRun, runDetail, runUpdateTestStatus } from './run-operations.ts';
import * as tables from './schema.ts';
import { createTest, getTests } from './test-operations.ts';

/** Area C: tools over organizations, projects, tests and runs. */
export const testmgmt = defineModule({
  name: 'testmgmt',
  requires: ['auth'],
  errors: testmgmtErrors,
  mcpInstructions:
    'Test management: projects hold tests, runs hold the results of tests. Start with get-orgs-list and get-projects to ' +
    'find ids.',
  tables,
  operations: [
    getOrgsList,
    getProjects,
    createProject,
    getTests,
    createTest,
    downloadTests,
    createRun,
    runDetail,
    runUpdateTestStatus,
  ],
});
