import type { Provider } from './ci-provider.ts';
import {
  any,
  branchIn,
  by,
  folderOf,
  joined,
  lastNumberIn,
  repositoryIn,
  tagIn,
  unlike,
  written,
} from './ci-source.ts';

/** Providers that build repositories hosted elsewhere. Jenkins is last, because its variables have the most general names. */
export const servers = {
  // buildkite.com/docs/pipelines/configure/environment-variables. BUILDKITE_RETRY_COUNT counts a job, not the build.
  buildkite: {
    title: 'Buildkite',
    mark: ['BUILDKITE', /^true$/],
    fields: {
      repository: [by(repositoryIn, 'BUILDKITE_REPO')],
      workflow: ['BUILDKITE_PIPELINE_SLUG'],
      branch: ['BUILDKITE_BRANCH'],
      fork: [unlike(by(repositoryIn, 'BUILDKITE_PULL_REQUEST_REPO'), by(repositoryIn, 'BUILDKITE_REPO'))],
      baseBranch: [
        'BUILDKITE_PULL_REQUEST_BASE_BRANCH',
        'BUILDKITE_MERGE_QUEUE_BASE_BRANCH',
        'BUILDKITE_PIPELINE_DEFAULT_BRANCH',
      ],
      tag: ['BUILDKITE_TAG'],
      commit: ['BUILDKITE_COMMIT'],
      build: ['BUILDKITE_BUILD_ID'],
      buildNumber: ['BUILDKITE_BUILD_NUMBER'],
      // The jobs of a matrix have one key; their labels differ.
      job: [
        joined('BUILDKITE_STEP_KEY', 'BUILDKITE_LABEL', 'BUILDKITE_PARALLEL_JOB'),
        joined('BUILDKITE_LABEL', 'BUILDKITE_PARALLEL_JOB'),
        joined('BUILDKITE_STEP_ID', 'BUILDKITE_PARALLEL_JOB'),
      ],
      jobUrl: [written('{BUILDKITE_BUILD_URL}#{BUILDKITE_JOB_ID}'), 'BUILDKITE_BUILD_URL'],
      author: ['BUILDKITE_BUILD_AUTHOR', 'BUILDKITE_BUILD_CREATOR'],
      // The word "false" if there is none.
      pullRequest: [by(lastNumberIn, 'BUILDKITE_PULL_REQUEST')],
    },
  },
  // circleci.com/docs/reference/variables. CIRCLE_BUILD_NUM is the number of a job; there is no build number.
  circleci: {
    title: 'CircleCI',
    mark: ['CIRCLECI', /^true$/],
    fields: {
      repository: [
        written('{CIRCLE_PROJECT_USERNAME}/{CIRCLE_PROJECT_REPONAME}'),
        by(repositoryIn, 'CIRCLE_REPOSITORY_URL'),
      ],
      // pull/42 for a fork.
      branch: ['CIRCLE_BRANCH'],
      tag: ['CIRCLE_TAG'],
      commit: ['CIRCLE_SHA1'],
      // A rerun workflow gets a new id but keeps its workspace.
      build: ['CIRCLE_WORKFLOW_WORKSPACE_ID', 'CIRCLE_WORKFLOW_ID'],
      job: [joined('CIRCLE_JOB', 'CIRCLE_NODE_INDEX')],
      jobUrl: ['CIRCLE_BUILD_URL'],
      author: ['CIRCLE_PR_USERNAME', 'CIRCLE_USERNAME'],
      pullRequest: ['CIRCLE_PR_NUMBER', by(lastNumberIn, 'CIRCLE_PULL_REQUEST')],
    },
  },
  // jetbrains.com/help/teamcity/predefined-build-parameters.html. The branch is not among them; a build configuration may add it.
  teamcity: {
    title: 'TeamCity',
    mark: ['TEAMCITY_VERSION', any],
    fields: {
      workflow: [written('{TEAMCITY_PROJECT_NAME} / {TEAMCITY_BUILDCONF_NAME}'), 'TEAMCITY_BUILDCONF_NAME'],
      commit: ['BUILD_VCS_NUMBER'],
      build: ['BUILD_NUMBER'],
      buildNumber: ['BUILD_NUMBER'],
      jobUrl: ['BUILD_URL'],
    },
  },
  // docs.drone.io/pipeline/environment/reference. A restarted build gets a new number.
  drone: {
    title: 'Drone',
    mark: ['DRONE', /^true$/],
    fields: {
      repository: ['DRONE_REPO'],
      // For a pull request, DRONE_BRANCH is the target branch.
      branch: [by(branchIn, 'DRONE_SOURCE_BRANCH'), by(branchIn, 'DRONE_BRANCH')],
      baseBranch: [by(branchIn, 'DRONE_TARGET_BRANCH')],
      tag: ['DRONE_TAG'],
      commit: ['DRONE_COMMIT_SHA', 'DRONE_COMMIT'],
      build: ['DRONE_BUILD_NUMBER'],
      buildNumber: ['DRONE_BUILD_NUMBER'],
      // A build has several pipelines, which are called stages here, and each has several steps.
      job: [joined('DRONE_STAGE_NAME', 'DRONE_STEP_NAME')],
      jobUrl: ['DRONE_BUILD_LINK'],
      author: ['DRONE_COMMIT_AUTHOR'],
      pullRequest: ['DRONE_PULL_REQUEST'],
    },
  },
  // woodpecker-ci.org/docs/usage/environment. A restarted pipeline gets a new number.
  woodpecker: {
    title: 'Woodpecker',
    mark: ['CI', /^woodpecker$/],
    fields: {
      repository: ['CI_REPO'],
      // For a pull request, CI_COMMIT_BRANCH is the target branch.
      branch: ['CI_COMMIT_SOURCE_BRANCH', 'CI_COMMIT_BRANCH'],
      baseBranch: ['CI_COMMIT_TARGET_BRANCH', 'CI_REPO_DEFAULT_BRANCH'],
      tag: ['CI_COMMIT_TAG'],
      commit: ['CI_COMMIT_SHA'],
      build: ['CI_PIPELINE_NUMBER'],
      buildNumber: ['CI_PIPELINE_NUMBER'],
      // A pipeline has a workflow for each file and each value of a matrix; the latter differ only in their numbers.
      job: [joined('CI_WORKFLOW_NAME', 'CI_WORKFLOW_NUMBER', 'CI_STEP_NAME')],
      jobUrl: ['CI_STEP_URL', 'CI_PIPELINE_URL'],
      author: ['CI_PIPELINE_AUTHOR', 'CI_COMMIT_AUTHOR'],
      pullRequest: ['CI_COMMIT_PULL_REQUEST'],
    },
  },
  // jenkins.io/doc/book/pipeline/jenkinsfile, /env-vars.html of each server, and the plugins git, ghprb and gitlab-plugin.
  jenkins: {
    title: 'Jenkins',
    mark: ['JENKINS_URL', any],
    fields: {
      repository: [by(repositoryIn, 'GIT_URL'), by(repositoryIn, 'GIT_URL_1')],
      workflow: [(of) => (of.variable('BRANCH_NAME') ? by(folderOf, 'JOB_NAME')(of) : undefined), 'JOB_NAME'],
      // For a pull request, BRANCH_NAME is PR-42; GIT_BRANCH is origin/main.
      branch: [
        'CHANGE_BRANCH',
        'ghprbSourceBranch',
        'gitlabSourceBranch',
        'BRANCH_NAME',
        by(branchIn, 'GIT_BRANCH'),
      ],
      fork: ['CHANGE_FORK'],
      baseBranch: ['CHANGE_TARGET', 'ghprbTargetBranch', 'gitlabTargetBranch'],
      tag: ['TAG_NAME', by(tagIn, 'GIT_BRANCH')],
      commit: ['ghprbActualCommit', 'GIT_COMMIT'],
      // Each branch of a multibranch project counts its own builds; the tag contains the full name of the job.
      build: ['BUILD_TAG', 'BUILD_NUMBER'],
      buildNumber: ['BUILD_NUMBER'],
      job: ['STAGE_NAME'],
      jobUrl: ['BUILD_URL'],
      author: ['CHANGE_AUTHOR', 'ghprbPullAuthorLogin', 'gitlabUserUsername'],
      pullRequest: ['CHANGE_ID', 'ghprbPullId', 'gitlabMergeRequestIid'],
    },
  },
} as const satisfies Readonly<Record<string, Provider>>;
