import { catalogue, type FaultKind } from '../../core/errors.ts';

export const testmgmtErrors = {
  ORGANIZATION_NOT_FOUND: { status: 404, tip: 'Use get-orgs-list to see the organizations you belong to.' },
  PROJECT_NOT_FOUND: { status: 404, tip: 'Use get-projects to see the projects of an organization.' },
  TEST_NOT_FOUND: { status: 404, tip: 'Use get-tests to see the tests of a project.' },
  RUN_NOT_FOUND: { status: 404, tip: 'Use get-runs to see the runs of a project.' },
  NOT_IN_PROJECT: { status: 400, tip: 'Use only ids of this project: get-tests lists its tests.' },
  NOT_IN_RUN: { status: 400, tip: 'Use run-detail to see the run; only tests of the run take a status.' },
  DUPLICATE_ID: { status: 400, tip: 'Name each id once.' },
  PROJECT_INACTIVE: {
    status: 409,
    tip: 'Use update-project-status with isActive true first, if you may; reading works as it is.',
  },
  RUN_LOCKED: { status: 423, tip: 'The results of a locked run are final; use create-run for a new one.' },
} as const satisfies Record<string, FaultKind>;

export const refuse = catalogue(testmgmtErrors);
