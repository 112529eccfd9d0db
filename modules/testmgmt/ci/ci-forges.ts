import type { Provider } from './ci-provider.ts';
import {
  any,
  branchIn,
  by,
  inEvent,
  joined,
  pullRequestIn,
  repositoryIn,
  tagIn,
  unlike,
  written,
} from './ci-source.ts';

/*
 * How pipeline providers describe a build to its jobs: the variables from their own documentation. A missing field is one that the provider
 * does not report.
 */

/** Providers that also host the repository. */
export const forges = {
  // docs.github.com/actions/reference/workflows-and-actions/variables. Gitea and Forgejo set the same.
  github: {
    title: 'GitHub Actions',
    mark: ['GITHUB_ACTIONS', /^true$/],
    fields: {
      repository: ['GITHUB_REPOSITORY'],
      workflow: ['GITHUB_WORKFLOW'],
      // For the event workflow_run, which uploads for forks, the variables name the default branch.
      branch: [inEvent('workflow_run.head_branch'), 'GITHUB_HEAD_REF', by(branchIn, 'GITHUB_REF')],
      fork: [
        unlike(inEvent('workflow_run.head_repository.full_name'), inEvent('repository.full_name')),
        unlike(inEvent('pull_request.head.repo.full_name'), inEvent('pull_request.base.repo.full_name')),
      ],
      baseBranch: [
        'GITHUB_BASE_REF',
        by(branchIn, inEvent('merge_group.base_ref')),
        inEvent('repository.default_branch'),
      ],
      tag: [by(tagIn, 'GITHUB_REF')],
      // For a pull request, GITHUB_SHA is a merge commit that exists only in the build.
      commit: [inEvent('pull_request.head.sha'), inEvent('workflow_run.head_sha'), 'GITHUB_SHA'],
      build: ['GITHUB_RUN_ID'],
      buildNumber: ['GITHUB_RUN_NUMBER'],
      attempt: ['GITHUB_RUN_ATTEMPT'],
      // All jobs of a matrix have the same GITHUB_JOB. Only the machine is known of the matrix.
      job: [joined('GITHUB_JOB', 'RUNNER_OS', 'RUNNER_ARCH')],
      jobUrl: [
        written(
          '{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}/attempts/{GITHUB_RUN_ATTEMPT}',
        ),
        written('{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}'),
      ],
      author: ['GITHUB_ACTOR'],
      pullRequest: [inEvent('pull_request.number'), by(pullRequestIn, 'GITHUB_REF')],
    },
  },
  // docs.gitlab.com/ci/variables/predefined_variables. A rerun job stays in its pipeline.
  gitlab: {
    title: 'GitLab CI',
    mark: ['GITLAB_CI', /^true$/],
    fields: {
      repository: ['CI_PROJECT_PATH'],
      workflow: ['CI_PIPELINE_NAME'],
      // CI_COMMIT_BRANCH is absent in pipelines of merge requests, CI_COMMIT_REF_NAME also names tags.
      branch: [
        'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
        'CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME',
        'CI_COMMIT_BRANCH',
        'CI_COMMIT_REF_NAME',
      ],
      fork: [
        unlike('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH', 'CI_MERGE_REQUEST_PROJECT_PATH'),
        unlike('CI_EXTERNAL_PULL_REQUEST_SOURCE_REPOSITORY', 'CI_EXTERNAL_PULL_REQUEST_TARGET_REPOSITORY'),
      ],
      baseBranch: [
        'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
        'CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME',
        'CI_DEFAULT_BRANCH',
      ],
      tag: ['CI_COMMIT_TAG'],
      // The first is set only where CI_COMMIT_SHA is the commit of a merged result.
      commit: [
        'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA',
        'CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA',
        'CI_COMMIT_SHA',
      ],
      build: ['CI_PIPELINE_ID'],
      buildNumber: ['CI_PIPELINE_IID'],
      // Contains the number of a parallel job, or its values of the matrix.
      job: ['CI_JOB_NAME'],
      jobUrl: ['CI_JOB_URL'],
      author: ['GITLAB_USER_LOGIN'],
      pullRequest: ['CI_MERGE_REQUEST_IID', 'CI_EXTERNAL_PULL_REQUEST_IID'],
    },
  },
  // learn.microsoft.com/azure/devops/pipelines/build/variables. It counts attempts of a stage and of a job, not of the build.
  azure: {
    title: 'Azure Pipelines',
    mark: ['TF_BUILD', /^true$/i],
    fields: {
      repository: ['BUILD_REPOSITORY_NAME'],
      workflow: ['BUILD_DEFINITIONNAME'],
      // BUILD_SOURCEBRANCHNAME is only the last part, and `merge` for a pull request.
      branch: [by(branchIn, 'SYSTEM_PULLREQUEST_SOURCEBRANCH'), by(branchIn, 'BUILD_SOURCEBRANCH')],
      fork: [
        unlike(
          by(repositoryIn, 'SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI'),
          by(repositoryIn, 'BUILD_REPOSITORY_URI'),
        ),
      ],
      baseBranch: [by(branchIn, 'SYSTEM_PULLREQUEST_TARGETBRANCH')],
      tag: [by(tagIn, 'BUILD_SOURCEBRANCH')],
      commit: ['SYSTEM_PULLREQUEST_SOURCECOMMITID', 'BUILD_SOURCEVERSION'],
      build: ['BUILD_BUILDID'],
      buildNumber: ['BUILD_BUILDNUMBER'],
      job: [joined('SYSTEM_STAGENAME', 'SYSTEM_PHASENAME', 'SYSTEM_JOBNAME', 'SYSTEM_JOBPOSITIONINPHASE')],
      jobUrl: [written('{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}')],
      author: ['BUILD_REQUESTEDFOR'],
      pullRequest: ['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER', 'SYSTEM_PULLREQUEST_PULLREQUESTID'],
    },
  },
  // support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets. BITBUCKET_STEP_RUN_NUMBER counts a step, not the build.
  bitbucket: {
    title: 'Bitbucket Pipelines',
    mark: ['BITBUCKET_BUILD_NUMBER', any],
    fields: {
      repository: ['BITBUCKET_REPO_FULL_NAME'],
      branch: ['BITBUCKET_BRANCH'],
      baseBranch: ['BITBUCKET_PR_DESTINATION_BRANCH'],
      tag: ['BITBUCKET_TAG'],
      commit: ['BITBUCKET_COMMIT'],
      build: ['BITBUCKET_PIPELINE_UUID', 'BITBUCKET_BUILD_NUMBER'],
      buildNumber: ['BITBUCKET_BUILD_NUMBER'],
      job: [joined('BITBUCKET_STEP_UUID', 'BITBUCKET_PARALLEL_STEP'), 'BITBUCKET_PARALLEL_STEP'],
      jobUrl: [
        written(
          'https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/{BITBUCKET_BUILD_NUMBER}/steps/{BITBUCKET_STEP_UUID}',
        ),
        written(
          'https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/{BITBUCKET_BUILD_NUMBER}',
        ),
      ],
      pullRequest: ['BITBUCKET_PR_ID'],
    },
  },
} as const satisfies Readonly<Record<string, Provider>>;
