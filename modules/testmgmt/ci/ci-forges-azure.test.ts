import { expect, test } from 'bun:test';
import { ciEnvironmentOf } from './ci-environment.ts';

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const merge = 'ffeeddccbbaa99887766554433221100ffeeddcc';

const azure = {
  TF_BUILD: 'True',
  BUILD_BUILDID: '1430',
  BUILD_BUILDNUMBER: '20261122.4',
  BUILD_DEFINITIONNAME: 'Shop CI',
  BUILD_REASON: 'IndividualCI',
  BUILD_REPOSITORY_NAME: 'acme/shop',
  BUILD_REPOSITORY_URI: 'https://github.com/acme/shop',
  BUILD_REQUESTEDFOR: 'Jane Doe',
  BUILD_REQUESTEDFOREMAIL: 'jane@example.com',
  BUILD_SOURCEBRANCH: 'refs/heads/feature/tools',
  BUILD_SOURCEBRANCHNAME: 'tools',
  BUILD_SOURCEVERSION: commit,
  SYSTEM_COLLECTIONURI: 'https://dev.azure.com/acme/',
  SYSTEM_JOBATTEMPT: '1',
  SYSTEM_JOBID: '12f1170f-54f2-53f3-20dd-22fc7dff55f9',
  SYSTEM_JOBNAME: '__default',
  SYSTEM_PHASENAME: 'Job',
  SYSTEM_STAGENAME: '__default',
  SYSTEM_TEAMPROJECT: 'Web Shop',
};
const onAzure = {
  provider: 'azure',
  repository: 'acme/shop',
  workflow: 'Shop CI',
  branch: 'feature/tools',
  commit,
  build: '1430',
  buildNumber: '20261122.4',
  job: '__default Job __default',
  jobUrl: 'https://dev.azure.com/acme/Web%20Shop/_build/results?buildId=1430',
  author: 'Jane Doe',
};
const azurePull = {
  ...azure,
  BUILD_REASON: 'PullRequest',
  BUILD_SOURCEBRANCH: 'refs/pull/89/merge',
  BUILD_SOURCEBRANCHNAME: 'merge',
  BUILD_SOURCEVERSION: merge,
  SYSTEM_PULLREQUEST_ISFORK: 'False',
  SYSTEM_PULLREQUEST_PULLREQUESTID: '540266026',
  SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '89',
  SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/feature/tools',
  SYSTEM_PULLREQUEST_SOURCECOMMITID: commit,
  SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI: 'https://github.com/acme/shop',
  SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main',
};
const onAzurePull = { ...onAzure, baseBranch: 'main', pullRequest: '89' };

const bitbucket = {
  CI: 'true',
  BITBUCKET_BRANCH: 'feature/cart',
  BITBUCKET_BUILD_NUMBER: '52',
  BITBUCKET_COMMIT: '8d081548cabb',
  BITBUCKET_GIT_HTTP_ORIGIN: 'http://bitbucket.org/acme/shop',
  BITBUCKET_PIPELINE_UUID: '{d32eeb5c-14fd-4162-845c-6897bdb4d2ce}',
  BITBUCKET_REPO_FULL_NAME: 'acme/shop',
  BITBUCKET_STEP_RUN_NUMBER: '1',
  BITBUCKET_STEP_UUID: '{19fb8a86-fad3-42a4-ab43-f9e150d7b3ab}',
};
const onBitbucket = {
  provider: 'bitbucket',
  repository: 'acme/shop',
  branch: 'feature/cart',
  commit: '8d081548cabb',
  build: '{d32eeb5c-14fd-4162-845c-6897bdb4d2ce}',
  buildNumber: '52',
  job: '{19fb8a86-fad3-42a4-ab43-f9e150d7b3ab}',
  jobUrl:
    'https://bitbucket.org/acme/shop/pipelines/results/52/steps/%7B19fb8a86-fad3-42a4-ab43-f9e150d7b3ab%7D',
};

const without = (from: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const cases: ReadonlyArray<readonly [string, Record<string, string | undefined>, unknown, object]> = [
  ['Azure: a push', azure, undefined, onAzure],
  ['Azure: a pull request', azurePull, undefined, onAzurePull],
  [
    'Azure: a fork, of GitHub',
    {
      ...azurePull,
      SYSTEM_PULLREQUEST_ISFORK: 'True',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'main',
      SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI: 'https://github.com/mallory/shop',
    },
    undefined,
    { ...onAzurePull, branch: 'mallory/shop:main' },
  ],
  [
    'Azure: variables that were not replaced',
    { ...azure, SYSTEM_PULLREQUEST_SOURCEBRANCH: '$(System.PullRequest.SourceBranch)' },
    undefined,
    onAzure,
  ],
  [
    'Azure: a tag, in parallel',
    { ...azure, BUILD_SOURCEBRANCH: 'refs/tags/v1', SYSTEM_JOBNAME: 'Job 2', SYSTEM_JOBPOSITIONINPHASE: '2' },
    undefined,
    { ...without(onAzure, 'branch'), tag: 'v1', job: '__default Job Job 2 2' },
  ],
  ['Bitbucket: a push', bitbucket, undefined, onBitbucket],
  [
    'Bitbucket: a pull request',
    { ...bitbucket, BITBUCKET_PR_ID: '2', BITBUCKET_PR_DESTINATION_BRANCH: 'main' },
    undefined,
    { ...onBitbucket, pullRequest: '2', baseBranch: 'main' },
  ],
  [
    'Bitbucket: a tag, a parallel step that is run again',
    {
      ...bitbucket,
      BITBUCKET_BRANCH: undefined,
      BITBUCKET_TAG: 'v1',
      BITBUCKET_PARALLEL_STEP: '0',
      BITBUCKET_STEP_RUN_NUMBER: '2',
    },
    undefined,
    { ...without(onBitbucket, 'branch'), tag: 'v1', job: `${onBitbucket.job} 0` },
  ],
];

test.each(cases)('%s', (_title, env, event, expected) => {
  expect(ciEnvironmentOf(env, event)).toStrictEqual(expected as ReturnType<typeof ciEnvironmentOf>);
});
