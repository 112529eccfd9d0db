import { expect, test } from 'bun:test';
import { ciEnvironmentOf } from './ci-environment.ts';

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

const jenkins = {
  BUILD_ID: '153',
  BUILD_NUMBER: '153',
  BUILD_TAG: 'jenkins-shop-153',
  BUILD_URL: 'https://jenkins.example.com/job/shop/153/',
  GIT_BRANCH: 'origin/main',
  GIT_COMMIT: commit,
  GIT_URL: 'ssh://git@git.example.com:7999/acme/shop.git',
  JENKINS_URL: 'https://jenkins.example.com/',
  JOB_NAME: 'shop',
};
const onJenkins = {
  provider: 'jenkins',
  repository: 'acme/shop',
  workflow: 'shop',
  branch: 'main',
  commit,
  build: 'jenkins-shop-153',
  buildNumber: '153',
  jobUrl: 'https://jenkins.example.com/job/shop/153/',
};
/** A pull request of a multibranch project. */
const jenkinsChange = {
  ...jenkins,
  BRANCH_NAME: 'PR-42',
  BUILD_TAG: 'jenkins-shop-PR-42-153',
  CHANGE_AUTHOR: 'octocat',
  CHANGE_BRANCH: 'feature/cart',
  CHANGE_ID: '42',
  CHANGE_TARGET: 'main',
  GIT_BRANCH: 'PR-42',
  JOB_NAME: 'shop/PR-42',
  STAGE_NAME: 'Unit',
};
const onJenkinsChange = {
  ...onJenkins,
  branch: 'feature/cart',
  baseBranch: 'main',
  build: 'jenkins-shop-PR-42-153',
  job: 'Unit',
  author: 'octocat',
  pullRequest: '42',
};

const without = (from: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const cases: ReadonlyArray<readonly [string, Record<string, string | undefined>, object]> = [
  ['Jenkins: a job', jenkins, onJenkins],
  ['Jenkins: a job that has no branch', { ...jenkins, GIT_BRANCH: 'detached' }, without(onJenkins, 'branch')],
  [
    'Jenkins: a branch of a multibranch project',
    { ...jenkins, BRANCH_NAME: 'main', GIT_BRANCH: 'main', JOB_NAME: 'acme/shop/main' },
    { ...onJenkins, workflow: 'acme/shop' },
  ],
  ['Jenkins: a pull request', jenkinsChange, onJenkinsChange],
  [
    'Jenkins: a fork',
    { ...jenkinsChange, CHANGE_FORK: 'mallory' },
    { ...onJenkinsChange, branch: 'mallory:feature/cart' },
  ],
  [
    'Jenkins: a tag',
    { ...jenkins, BRANCH_NAME: 'v1', TAG_NAME: 'v1', JOB_NAME: 'shop/v1' },
    { ...without(onJenkins, 'branch'), tag: 'v1' },
  ],
  [
    'Jenkins: the plugin ghprb',
    {
      ...jenkins,
      GIT_BRANCH: 'detached',
      GIT_COMMIT: 'ffeeddcc',
      ghprbActualCommit: commit,
      ghprbPullId: '42',
      ghprbSourceBranch: 'feature/cart',
      ghprbTargetBranch: 'main',
    },
    { ...onJenkins, branch: 'feature/cart', baseBranch: 'main', pullRequest: '42' },
  ],
];

test.each(cases)('%s', (_title, env, expected) => {
  expect(ciEnvironmentOf(env)).toStrictEqual(expected as ReturnType<typeof ciEnvironmentOf>);
});
