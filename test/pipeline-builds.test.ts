import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, type Running } from './executable.ts';
import { startJob, startPipelineWorld, type PipelineWorld } from './pipeline-world.ts';
import { temporaryDirectory } from './temporary.ts';

/* Runs each pipeline example like its CI: with the variables that this CI sets, against a server. */

const examples = join(import.meta.dir, '..', 'examples', 'ci');
const textOf = (file: string) => readFileSync(join(examples, file), 'utf8');
const yaml = {
  github: Bun.YAML.parse(textOf('github-actions.yml')) as {
    readonly jobs: {
      readonly test: { readonly steps: ReadonlyArray<{ readonly name?: string; readonly run?: string }> };
    };
  },
  gitlab: Bun.YAML.parse(textOf('gitlab-ci.yml')) as {
    readonly test: { readonly script: readonly string[]; readonly after_script: readonly string[] };
  },
};
const stepOf = (name: string) => yaml.github.jobs.test.steps.find((step) => step.name === name)?.run ?? '';

let world: PipelineWorld;
let server: Running;
let projectId: number;
/** A folder in which `trivet` is the executable. */
const bin = temporaryDirectory('bin');

beforeAll(async () => {
  world = await startPipelineWorld();
  server = await world.serve();
  projectId = await world.makeProject('Shop');
  symlinkSync(compiled.command[0] ?? '', join(bin, 'trivet'));
}, 60_000);
afterAll(async () => {
  await server.stop();
  await world.stop();
});

interface Example {
  readonly title: string;
  /** The scripts that the CI runs in sequence; the second runs even if the first failed. */
  readonly scripts: readonly string[];
  /** As documented by the CI. */
  readonly variables: Readonly<Record<string, string>>;
  /** The event that GitHub stores in a file. */
  readonly event?: object;
  readonly source: Readonly<Record<string, string | null>>;
  readonly runName: string | RegExp;
  readonly output: RegExp;
}

const sha = 'ffac537e6cbbf934b08745a378932722df287a53';
const merged = '0b1c2d3e4f5061728394a5b6c7d8e9f001122334';

const cases: readonly Example[] = [
  {
    title: 'GitHub Actions, a push',
    scripts: [stepOf('Test'), stepOf('Upload the results')],
    variables: {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'octo-org/shop',
      GITHUB_WORKFLOW: 'CI',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_HEAD_REF: '',
      GITHUB_BASE_REF: '',
      GITHUB_SHA: sha,
      GITHUB_RUN_ID: '1658821493',
      GITHUB_RUN_NUMBER: '3',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'test',
      RUNNER_OS: 'Linux',
      RUNNER_ARCH: 'X64',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_ACTOR: 'octocat',
      GITHUB_EVENT_NAME: 'push',
    },
    source: {
      provider: 'github',
      repository: 'octo-org/shop',
      workflow: 'CI',
      branch: 'main',
      baseBranch: null,
      commit: sha,
      buildNumber: '3',
      jobUrl: 'https://github.com/octo-org/shop/actions/runs/1658821493/attempts/1',
      author: 'octocat',
      pullRequest: null,
      runKey: `github:octo-org/shop:CI:1658821493:${sha}:1`,
    },
    runName: 'CI #3 · main @ ffac537',
    output: /^::error /m,
  },
  {
    title: 'GitHub Actions, a pull request',
    scripts: [stepOf('Test'), stepOf('Upload the results')],
    variables: {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'octo-org/shop',
      GITHUB_WORKFLOW: 'CI',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_REF_NAME: '7/merge',
      GITHUB_HEAD_REF: 'vouchers',
      GITHUB_BASE_REF: 'main',
      GITHUB_SHA: merged,
      GITHUB_RUN_ID: '1658821500',
      GITHUB_RUN_NUMBER: '4',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_JOB: 'test',
      RUNNER_OS: 'Linux',
      RUNNER_ARCH: 'X64',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_ACTOR: 'octocat',
      GITHUB_EVENT_NAME: 'pull_request',
    },
    event: {
      number: 7,
      pull_request: {
        number: 7,
        head: { sha, ref: 'vouchers', repo: { full_name: 'octo-org/shop' } },
        base: { repo: { full_name: 'octo-org/shop' } },
      },
    },
    source: {
      provider: 'github',
      branch: 'vouchers',
      baseBranch: 'main',
      commit: sha,
      pullRequest: '7',
      jobUrl: 'https://github.com/octo-org/shop/actions/runs/1658821500/attempts/2',
      runKey: `github:octo-org/shop:CI:1658821500:${sha}:2`,
    },
    runName: 'CI #4 · vouchers @ ffac537 · attempt 2',
    output: /^::error /m,
  },
  {
    title: 'GitLab CI',
    scripts: [yaml.gitlab.test.script.join('\n'), yaml.gitlab.test.after_script.join('\n')],
    variables: {
      CI: 'true',
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: 'gitlab-examples/shop',
      CI_PIPELINE_ID: '1000',
      CI_PIPELINE_IID: '12',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_REF_NAME: 'main',
      CI_JOB_NAME: 'test',
      CI_JOB_ID: '50',
      CI_JOB_URL: 'https://gitlab.com/gitlab-examples/shop/-/jobs/50',
      GITLAB_USER_LOGIN: 'jdoe',
    },
    source: {
      provider: 'gitlab',
      repository: 'gitlab-examples/shop',
      branch: 'main',
      commit: sha,
      buildNumber: '12',
      author: 'jdoe',
      jobUrl: 'https://gitlab.com/gitlab-examples/shop/-/jobs/50',
      runKey: `gitlab:gitlab-examples/shop:-:1000:${sha}:-`,
    },
    runName: 'GitLab CI #12 · main @ ffac537',
    output: /section_start:\d+:/,
  },
  {
    title: 'a plain shell in Jenkins',
    scripts: [textOf('build.sh')],
    variables: {
      JENKINS_URL: 'https://ci.example.org/',
      JOB_NAME: 'shop/main',
      BUILD_NUMBER: '21',
      BUILD_ID: '21',
      BUILD_TAG: 'jenkins-shop-main-21',
      BUILD_URL: 'https://ci.example.org/job/shop/job/main/21/',
      GIT_COMMIT: sha,
      BRANCH_NAME: 'main',
      STAGE_NAME: 'Test',
    },
    source: {
      provider: 'jenkins',
      branch: 'main',
      commit: sha,
      buildNumber: '21',
      jobUrl: 'https://ci.example.org/job/shop/job/main/21/',
    },
    runName: /#21 · main @ ffac537$/,
    output: /sums its prices/,
  },
  {
    title: 'a plain shell outside of a CI',
    scripts: [textOf('build.sh')],
    variables: {},
    source: { provider: null, branch: null, commit: null, jobUrl: null },
    runName: /^Results of \d{4}-\d\d-\d\d /,
    output: /sums its prices/,
  },
];

/** Runs the scripts of an example with its suite, in which one test fails. @returns their exit codes and output. */
async function run({ scripts, variables, event }: Example, fails: boolean) {
  const folder = temporaryDirectory('build');
  mkdirSync(folder, { recursive: true });
  cpSync(join(examples, 'cart.test.js'), join(folder, 'cart.test.js'));
  if (fails) {
    const suite = readFileSync(join(folder, 'cart.test.js'), 'utf8');
    writeFileSync(join(folder, 'cart.test.js'), suite.replace('total([2, 3]), 5', 'total([2, 3]), 6'));
  }
  if (event) writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
  const env = {
    PATH: `${bin}:${join(Bun.which('node') ?? '', '..')}:/usr/bin:/bin`,
    TRIVET_URL: server.origin,
    TRIVET_TOKEN: world.token,
    ...variables,
    ...(event && { GITHUB_EVENT_PATH: join(folder, 'event.json') }),
  };
  const codes: number[] = [];
  let output = '';
  for (const script of scripts) {
    const ended = await startJob(['sh', '-e', '-c', script], { cwd: folder, env }).ended;
    codes.push(ended.exitCode);
    output += ended.stdout + ended.stderr;
  }
  return { codes, output };
}

/** The runs of the project, newest first. */
const runsNow = async () => {
  const { runs } = (await world.call('get-runs', { projectId })) as {
    runs: Array<{ runId: number; runName: string }>;
  };
  return runs;
};

describe.each(cases.map((one) => [one.title, one] as const))('%s', (_title, example) => {
  test('the run has the build of the variables, and the build ends as its tests', async () => {
    const before = await runsNow();
    const failed = await run(example, true);
    // The tests determine the result; an upload in a separate step, or after the job, succeeds.
    expect(failed.codes).toEqual([1, 0].slice(0, example.scripts.length));
    expect(failed.output).toMatch(example.output);
    const [newest, ...others] = await runsNow();
    expect(others).toEqual(before);
    expect(newest?.runName).toMatch(example.runName);
    const said = await world.call('get-run-results', { projectId, runId: newest?.runId });
    expect(said).toMatchObject({ source: example.source, total: 3 });
    const statuses = (said['results'] as Array<{ testName: string; status: string }>).map(
      ({ testName, status }) => `${testName} ${status}`,
    );
    expect(statuses.toSorted()).toEqual([
      'is empty at first passed',
      'sums its prices failed',
      'takes vouchers skipped',
    ]);
    expect(await world.call('run-detail', { projectId, runId: newest?.runId })).toMatchObject({
      counts: { total: 3, passed: 1, failed: 1, untested: 1 },
    });
  }, 60_000);

  test('whose tests pass ends well, and the same build again is the same run', async () => {
    const passed = await run(example, false);
    expect(passed.codes).toEqual(example.scripts.map(() => 0));
    const runs = await runsNow();
    await run(example, false);
    // Outside a CI the contents identify the run, and the durations differ.
    if (example.source['provider'] !== null) expect(await runsNow()).toEqual(runs);
    expect((await world.stored(projectId)).wrong).toEqual([]);
    expect((await world.stored(projectId)).tests).toBe(3);
  }, 60_000);
});
