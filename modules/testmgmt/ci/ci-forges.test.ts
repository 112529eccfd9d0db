import { expect, test } from 'bun:test';
import { ciEnvironmentOf } from './ci-environment.ts';

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const merge = 'ffeeddccbbaa99887766554433221100ffeeddcc';

const github = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTOR: 'octocat',
  GITHUB_BASE_REF: '',
  GITHUB_EVENT_NAME: 'push',
  GITHUB_HEAD_REF: '',
  GITHUB_JOB: 'unit',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_REF_NAME: 'main',
  GITHUB_REF_TYPE: 'branch',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_RUN_ID: '1658821493',
  GITHUB_RUN_NUMBER: '123',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_SHA: commit,
  GITHUB_WORKFLOW: 'CI',
  RUNNER_ARCH: 'X64',
  RUNNER_OS: 'Linux',
};
const onGithub = {
  provider: 'github',
  repository: 'acme/shop',
  workflow: 'CI',
  branch: 'main',
  commit,
  build: '1658821493',
  buildNumber: '123',
  attempt: 1,
  job: 'unit Linux X64',
  jobUrl: 'https://github.com/acme/shop/actions/runs/1658821493/attempts/1',
  author: 'octocat',
};
const githubPull = {
  ...github,
  GITHUB_EVENT_NAME: 'pull_request',
  GITHUB_HEAD_REF: 'feature/cart',
  GITHUB_BASE_REF: 'main',
  GITHUB_REF: 'refs/pull/42/merge',
  GITHUB_REF_NAME: '42/merge',
  GITHUB_SHA: merge,
};
const pullEvent = (from: string | null, ref = 'feature/cart') => ({
  pull_request: {
    number: 42,
    head: { ref, sha: commit, repo: from === null ? null : { full_name: from } },
    base: { ref: 'main', repo: { full_name: 'acme/shop' } },
  },
});
const onGithubPull = { ...onGithub, branch: 'feature/cart', baseBranch: 'main', pullRequest: '42' };

const gitlab = {
  CI: 'true',
  GITLAB_CI: 'true',
  GITLAB_USER_LOGIN: 'jane',
  CI_COMMIT_AUTHOR: 'Jane <jane@example.com>',
  CI_COMMIT_BEFORE_SHA: '0000000000000000000000000000000000000000',
  CI_COMMIT_BRANCH: 'main',
  CI_COMMIT_REF_NAME: 'main',
  CI_COMMIT_SHA: commit,
  CI_JOB_ID: '777',
  CI_JOB_NAME: 'unit',
  CI_JOB_URL: 'https://gitlab.example.com/acme/shop/-/jobs/777',
  CI_PIPELINE_ID: '40112',
  CI_PIPELINE_IID: '88',
  CI_PIPELINE_SOURCE: 'push',
  CI_PROJECT_PATH: 'acme/shop',
  CI_REPOSITORY_URL: 'https://gitlab-ci-token:glcbt-64_secret@gitlab.example.com/acme/shop.git',
};
const onGitlab = {
  provider: 'gitlab',
  repository: 'acme/shop',
  branch: 'main',
  commit,
  build: '40112',
  buildNumber: '88',
  job: 'unit',
  jobUrl: 'https://gitlab.example.com/acme/shop/-/jobs/777',
  author: 'jane',
};
/** A detached pipeline of a merge request. */
const gitlabMerge = {
  ...gitlab,
  CI_COMMIT_BRANCH: undefined,
  CI_COMMIT_REF_NAME: 'feature/cart',
  CI_MERGE_REQUEST_EVENT_TYPE: 'detached',
  CI_MERGE_REQUEST_IID: '7',
  CI_MERGE_REQUEST_PROJECT_PATH: 'acme/shop',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/cart',
  CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
  CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'acme/shop',
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  CI_PIPELINE_SOURCE: 'merge_request_event',
};
const onGitlabMerge = { ...onGitlab, branch: 'feature/cart', baseBranch: 'main', pullRequest: '7' };

const without = (from: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

const cases: ReadonlyArray<readonly [string, Record<string, string | undefined>, unknown, object]> = [
  ['GitHub: a push', github, { ref: 'refs/heads/main' }, onGithub],
  [
    'GitHub: run again',
    { ...github, GITHUB_RUN_ATTEMPT: '3' },
    undefined,
    { ...onGithub, attempt: 3, jobUrl: onGithub.jobUrl.replace(/1$/, '3') },
  ],
  [
    'GitHub: the same job on another machine',
    { ...github, RUNNER_OS: 'macOS', RUNNER_ARCH: 'ARM64' },
    undefined,
    { ...onGithub, job: 'unit macOS ARM64' },
  ],
  ['GitHub: a pull request', githubPull, pullEvent('acme/shop'), onGithubPull],
  ['GitHub: without its event', githubPull, undefined, { ...onGithubPull, commit: merge }],
  [
    'GitHub: a fork',
    githubPull,
    pullEvent('mallory/shop'),
    { ...onGithubPull, branch: 'mallory/shop:feature/cart' },
  ],
  [
    'GitHub: main of a fork that was deleted is not main',
    { ...githubPull, GITHUB_HEAD_REF: 'main' },
    pullEvent(null, 'main'),
    { ...onGithubPull, branch: '#42:main' },
  ],
  [
    'GitHub: a tag',
    { ...github, GITHUB_REF: 'refs/tags/v1.2.0', GITHUB_REF_NAME: 'v1.2.0', GITHUB_REF_TYPE: 'tag' },
    undefined,
    { ...without(onGithub, 'branch'), tag: 'v1.2.0' },
  ],
  [
    'GitHub: a merge queue',
    { ...github, GITHUB_REF: `refs/heads/gh-readonly-queue/main/pr-42-${merge}` },
    { merge_group: { base_ref: 'refs/heads/main' } },
    { ...onGithub, branch: `gh-readonly-queue/main/pr-42-${merge}`, baseBranch: 'main' },
  ],
  [
    'GitHub: the upload for a build of a fork',
    { ...github, GITHUB_SHA: merge },
    {
      repository: { full_name: 'acme/shop' },
      workflow_run: { head_branch: 'main', head_sha: commit, head_repository: { full_name: 'mallory/shop' } },
    },
    { ...onGithub, branch: 'mallory/shop:main' },
  ],
  [
    'GitHub: a branch called origin/x',
    { ...github, GITHUB_REF: 'refs/heads/origin/x' },
    [],
    { ...onGithub, branch: 'origin/x' },
  ],
  ['GitLab: a push', gitlab, undefined, onGitlab],
  [
    'GitLab: parallel, with a name',
    {
      ...gitlab,
      CI_JOB_NAME: 'unit 2/3',
      CI_NODE_INDEX: '2',
      CI_NODE_TOTAL: '3',
      CI_PIPELINE_NAME: 'Nightly',
    },
    undefined,
    { ...onGitlab, job: 'unit 2/3', workflow: 'Nightly' },
  ],
  ['GitLab: a detached merge request', gitlabMerge, undefined, onGitlabMerge],
  [
    'GitLab: a merged result',
    { ...gitlabMerge, CI_COMMIT_SHA: merge, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: commit },
    undefined,
    onGitlabMerge,
  ],
  [
    'GitLab: a fork',
    {
      ...gitlabMerge,
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'mallory/shop',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main',
    },
    undefined,
    { ...onGitlabMerge, branch: 'mallory/shop:main' },
  ],
  [
    'GitLab: a tag',
    { ...gitlab, CI_COMMIT_BRANCH: undefined, CI_COMMIT_TAG: 'v1.2.0', CI_COMMIT_REF_NAME: 'v1.2.0' },
    undefined,
    { ...without(onGitlab, 'branch'), tag: 'v1.2.0' },
  ],
  [
    'GitLab: run again',
    { ...gitlab, CI_JOB_ID: '790', CI_JOB_URL: 'https://gitlab.example.com/acme/shop/-/jobs/790' },
    undefined,
    { ...onGitlab, jobUrl: 'https://gitlab.example.com/acme/shop/-/jobs/790' },
  ],
];

test.each(cases)('%s', (_title, env, event, expected) => {
  expect(ciEnvironmentOf(env, event)).toStrictEqual(expected as ReturnType<typeof ciEnvironmentOf>);
});
