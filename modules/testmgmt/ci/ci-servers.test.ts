import { expect, test } from 'bun:test';
import { ciEnvironmentOf } from './ci-environment.ts';

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

const buildkite = {
  BUILDKITE: 'true',
  BUILDKITE_BRANCH: 'main',
  BUILDKITE_BUILD_AUTHOR: 'Carol Danvers',
  BUILDKITE_BUILD_AUTHOR_EMAIL: 'carol@example.com',
  BUILDKITE_BUILD_ID: '4735ba57-80d0-46e2-8fa0-b28223a86586',
  BUILDKITE_BUILD_NUMBER: '1514',
  BUILDKITE_BUILD_URL: 'https://buildkite.com/acme-inc/shop/builds/1514',
  BUILDKITE_COMMIT: commit,
  BUILDKITE_JOB_ID: 'e44f9784-e20e-4b93-a21d-f41fd5869db9',
  BUILDKITE_LABEL: ':hammer: Specs',
  BUILDKITE_PIPELINE_SLUG: 'shop',
  BUILDKITE_PULL_REQUEST: 'false',
  BUILDKITE_PULL_REQUEST_BASE_BRANCH: '',
  BUILDKITE_PULL_REQUEST_REPO: '',
  BUILDKITE_REPO: 'git@github.com:acme/shop.git',
  BUILDKITE_RETRY_COUNT: '0',
  BUILDKITE_STEP_ID: '080b7d73-986d-4a39-a510-b34f9faf4710',
  BUILDKITE_TAG: '',
};
const onBuildkite = {
  provider: 'buildkite',
  repository: 'acme/shop',
  workflow: 'shop',
  branch: 'main',
  commit,
  build: '4735ba57-80d0-46e2-8fa0-b28223a86586',
  buildNumber: '1514',
  job: ':hammer: Specs',
  jobUrl: 'https://buildkite.com/acme-inc/shop/builds/1514#e44f9784-e20e-4b93-a21d-f41fd5869db9',
  author: 'Carol Danvers',
};
const buildkitePull = {
  ...buildkite,
  BUILDKITE_BRANCH: 'feature/cart',
  BUILDKITE_PULL_REQUEST: '123',
  BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main',
  BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/Acme/shop.git',
};

const circle = {
  CIRCLECI: 'true',
  CIRCLE_BRANCH: 'main',
  CIRCLE_BUILD_NUM: '1337',
  CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/shop/1337',
  CIRCLE_JOB: 'unit',
  CIRCLE_NODE_INDEX: '0',
  CIRCLE_NODE_TOTAL: '1',
  CIRCLE_PROJECT_REPONAME: 'shop',
  CIRCLE_PROJECT_USERNAME: 'acme',
  CIRCLE_REPOSITORY_URL: 'git@github.com:acme/shop.git',
  CIRCLE_SHA1: commit,
  CIRCLE_USERNAME: 'octocat',
  CIRCLE_WORKFLOW_ID: 'd5c7444b-d4e3-4645-9a9a-df8d9b992315',
  CIRCLE_WORKFLOW_JOB_ID: 'fdcb397e-972e-40cd-9009-34a356764105',
  CIRCLE_WORKFLOW_WORKSPACE_ID: 'd5c7444b-d4e3-4645-9a9a-df8d9b992315',
};
const onCircle = {
  provider: 'circleci',
  repository: 'acme/shop',
  branch: 'main',
  commit,
  build: 'd5c7444b-d4e3-4645-9a9a-df8d9b992315',
  job: 'unit 0',
  jobUrl: 'https://circleci.com/gh/acme/shop/1337',
  author: 'octocat',
};

const teamcity = {
  BUILD_NUMBER: '5',
  BUILD_URL: 'https://teamcity.example.com/buildConfiguration/Shop_Build/17',
  BUILD_VCS_NUMBER: commit,
  TEAMCITY_BUILDCONF_NAME: 'Build',
  TEAMCITY_PROJECT_NAME: 'Shop',
  TEAMCITY_VERSION: '2026.1 (build 198321)',
};
const onTeamcity = {
  provider: 'teamcity',
  workflow: 'Shop / Build',
  commit,
  build: '5',
  buildNumber: '5',
  jobUrl: 'https://teamcity.example.com/buildConfiguration/Shop_Build/17',
};

const drone = {
  CI: 'drone',
  DRONE: 'true',
  DRONE_BRANCH: 'main',
  DRONE_BUILD_EVENT: 'push',
  DRONE_BUILD_LINK: 'http://drone.local/acme/shop/29',
  DRONE_BUILD_NUMBER: '29',
  DRONE_COMMIT_AUTHOR: 'octocat',
  DRONE_COMMIT_SHA: commit,
  DRONE_REMOTE_URL: 'https://github.com/acme/shop.git',
  DRONE_REPO: 'acme/shop',
  DRONE_SOURCE_BRANCH: 'main',
  DRONE_STAGE_NAME: 'default',
  DRONE_STEP_NAME: 'unit',
  DRONE_TARGET_BRANCH: 'main',
};
const onDrone = {
  provider: 'drone',
  repository: 'acme/shop',
  branch: 'main',
  commit,
  build: '29',
  buildNumber: '29',
  job: 'default unit',
  jobUrl: 'http://drone.local/acme/shop/29',
  author: 'octocat',
};

const woodpecker = {
  CI: 'woodpecker',
  CI_COMMIT_AUTHOR: 'jane',
  CI_COMMIT_BRANCH: 'main',
  CI_COMMIT_REF: 'refs/heads/main',
  CI_COMMIT_SHA: commit,
  CI_PIPELINE_AUTHOR: 'octocat',
  CI_PIPELINE_NUMBER: '8',
  CI_PIPELINE_URL: 'https://ci.example.com/repos/7/pipeline/8',
  CI_REPO: 'acme/shop',
  CI_STEP_NAME: 'unit',
  CI_STEP_URL: 'https://ci.example.com/repos/7/pipeline/8/2',
  CI_WORKFLOW_NAME: 'test',
};
const onWoodpecker = {
  provider: 'woodpecker',
  repository: 'acme/shop',
  branch: 'main',
  commit,
  build: '8',
  buildNumber: '8',
  job: 'test unit',
  jobUrl: 'https://ci.example.com/repos/7/pipeline/8/2',
  author: 'octocat',
};

const without = (from: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const cases: ReadonlyArray<readonly [string, Record<string, string | undefined>, object]> = [
  ['Buildkite: a push', buildkite, onBuildkite],
  [
    'Buildkite: parallel, run again',
    { ...buildkite, BUILDKITE_STEP_KEY: 'unit', BUILDKITE_PARALLEL_JOB: '2', BUILDKITE_RETRY_COUNT: '1' },
    { ...onBuildkite, job: 'unit :hammer: Specs 2' },
  ],
  [
    'Buildkite: a step without a name',
    { ...buildkite, BUILDKITE_LABEL: '' },
    { ...onBuildkite, job: buildkite.BUILDKITE_STEP_ID },
  ],
  [
    'Buildkite: a pull request',
    buildkitePull,
    { ...onBuildkite, branch: 'feature/cart', baseBranch: 'main', pullRequest: '123' },
  ],
  [
    'Buildkite: a fork',
    { ...buildkitePull, BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/mallory/shop' },
    { ...onBuildkite, branch: 'mallory/shop:feature/cart', baseBranch: 'main', pullRequest: '123' },
  ],
  [
    'Buildkite: a fork that it named',
    {
      ...buildkitePull,
      BUILDKITE_BRANCH: 'mallory:main',
      BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/mallory/shop',
    },
    { ...onBuildkite, branch: 'mallory:main', baseBranch: 'main', pullRequest: '123' },
  ],
  [
    'Buildkite: a tag, by hand',
    { ...buildkite, BUILDKITE_TAG: 'v1', BUILDKITE_BRANCH: 'v1', BUILDKITE_COMMIT: 'HEAD' },
    { ...without(onBuildkite, 'branch', 'commit'), tag: 'v1' },
  ],
  ['CircleCI: a push', circle, onCircle],
  [
    'CircleCI: a pull request, parallel, run again',
    {
      ...circle,
      CIRCLE_BRANCH: 'feature/cart',
      CIRCLE_NODE_INDEX: '1',
      CIRCLE_NODE_TOTAL: '2',
      CIRCLE_PULL_REQUEST: 'https://github.com/acme/shop/pull/7',
      CIRCLE_WORKFLOW_ID: '05547b7e-f7c7-447e-b6cf-0158d15bc6e3',
    },
    { ...onCircle, branch: 'feature/cart', job: 'unit 1', pullRequest: '7' },
  ],
  [
    'CircleCI: a fork',
    {
      ...circle,
      CIRCLE_BRANCH: 'pull/7',
      CIRCLE_PR_NUMBER: '7',
      CIRCLE_PR_REPONAME: 'shop',
      CIRCLE_PR_USERNAME: 'mallory',
    },
    { ...onCircle, branch: 'pull/7', pullRequest: '7', author: 'mallory' },
  ],
  [
    'CircleCI: a tag',
    { ...circle, CIRCLE_BRANCH: undefined, CIRCLE_TAG: 'v1' },
    { ...without(onCircle, 'branch'), tag: 'v1' },
  ],
  ['TeamCity', teamcity, onTeamcity],
  ['TeamCity: of an older version', without(teamcity, 'BUILD_URL'), without(onTeamcity, 'jobUrl')],
  ['Drone: a push', drone, onDrone],
  [
    'Drone: a pull request',
    { ...drone, DRONE_PULL_REQUEST: '43', DRONE_SOURCE_BRANCH: 'feature/cart' },
    { ...onDrone, branch: 'feature/cart', baseBranch: 'main', pullRequest: '43' },
  ],
  [
    'Drone: a pull request without its branch is not main',
    { ...drone, DRONE_PULL_REQUEST: '43', DRONE_SOURCE_BRANCH: '' },
    { ...onDrone, branch: '#43:main', baseBranch: 'main', pullRequest: '43' },
  ],
  [
    'Drone: a tag',
    {
      ...drone,
      DRONE_BRANCH: 'refs/tags/v1',
      DRONE_SOURCE_BRANCH: '',
      DRONE_TARGET_BRANCH: '',
      DRONE_TAG: 'v1',
    },
    { ...without(onDrone, 'branch'), tag: 'v1' },
  ],
  ['Woodpecker: a push', woodpecker, onWoodpecker],
  [
    'Woodpecker: a pull request, of a matrix',
    {
      ...woodpecker,
      CI_COMMIT_PULL_REQUEST: '1',
      CI_COMMIT_SOURCE_BRANCH: 'feature/cart',
      CI_COMMIT_TARGET_BRANCH: 'main',
      CI_WORKFLOW_NUMBER: '3',
    },
    { ...onWoodpecker, branch: 'feature/cart', baseBranch: 'main', pullRequest: '1', job: 'test 3 unit' },
  ],
];

test.each(cases)('%s', (_title, env, expected) => {
  expect(ciEnvironmentOf(env)).toStrictEqual(expected as ReturnType<typeof ciEnvironmentOf>);
});
