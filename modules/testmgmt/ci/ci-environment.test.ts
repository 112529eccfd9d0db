import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { ciEnvironmentOf, runKeyOf, runNameOf, type CiEnvironment } from './ci-environment.ts';

const github = { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '1' };

describe('outside of a pipeline nothing is told', () => {
  test.each([
    ['no variables', {}],
    ['those of a person', { CI: 'true', HOME: '/home/jane', BRANCH_NAME: 'main', BUILD_NUMBER: '1' }],
    ['a mark that is switched off', { GITHUB_ACTIONS: 'false', DRONE: '', CI: '1' }],
  ])('%s', (_title, env) => {
    const environment = ciEnvironmentOf(env);
    expect(environment).toStrictEqual({ provider: undefined });
    expect(runKeyOf(environment)).toBeUndefined();
    expect(runNameOf(environment)).toBeUndefined();
  });
});

describe('values are foreign', () => {
  const told = (env: Record<string, string>, event?: unknown) =>
    ciEnvironmentOf({ ...github, ...env }, event);
  const long = 'x'.repeat(300);
  const cases: ReadonlyArray<readonly [string, CiEnvironment, Partial<CiEnvironment>]> = [
    [
      'controls',
      told({ GITHUB_WORKFLOW: '\u001b[31mCI\u001b[0m\u0007\r\n two\u202e' }),
      { workflow: 'CI two' },
    ],
    ['space', told({ GITHUB_WORKFLOW: '  CI ' }), { workflow: 'CI' }],
    ['a commit that is none', told({ GITHUB_SHA: '$(rm -rf /)' }), {}],
    ['a commit in capitals', told({ GITHUB_SHA: 'ABCDEF0' }), { commit: 'abcdef0' }],
    ['an attempt that is no number', told({ GITHUB_RUN_ATTEMPT: '1e3' }), {}],
    ['attempt 0', told({ GITHUB_RUN_ATTEMPT: '0' }), {}],
    ['a number of an event', told({}, { pull_request: { number: 7 } }), { pullRequest: '7' }],
    ['an event of other forms', told({}, { pull_request: ['number', { sha: 1 }] }), {}],
    ['an event that is no object', told({}, 'pull_request'), {}],
    ['a name of Object', told({}, { pull_request: Object.create({ number: 7 }) }), {}],
    [
      'a long value, which stays different from others',
      told({ GITHUB_JOB: `${long}a` }),
      { job: `${'x'.repeat(238)}~f5e724b7ec29dcb7` },
    ],
  ];
  test('a variable of 128 KiB takes no time', () => {
    const env = { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: `${'1'.repeat(128 * 1024)}x` };
    const before = performance.now();
    expect(ciEnvironmentOf(env).pullRequest).toMatch(/^1{238}~/);
    expect(performance.now() - before).toBeLessThan(500);
  });

  test.each(cases)('%s', (_title, environment, expected) => {
    expect(environment).toStrictEqual({ provider: 'github', build: '1', ...expected });
  });

  const addresses: ReadonlyArray<readonly [string, string | undefined]> = [
    ['https://ci.example.com/b/1', 'https://ci.example.com/b/1'],
    ['https://jane:secret@ci.example.com/b/1', 'https://ci.example.com/b/1'],
    ['http://token@ci.example.com/', 'http://ci.example.com/'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['file:///etc/passwd', undefined],
    ['ci.example.com/b/1', undefined],
    ['https://ci.example.com/<b>"', 'https://ci.example.com/%3Cb%3E%22'],
    [`https://ci.example.com/${'x'.repeat(300)}`, undefined],
  ];
  test.each(addresses)('the address %s', (address, expected) => {
    expect(ciEnvironmentOf({ CIRCLECI: 'true', CIRCLE_BUILD_URL: address }).jobUrl).toBe(expected);
  });

  const clones: ReadonlyArray<readonly [string, string | undefined]> = [
    ['git@github.com:acme/shop.git', 'acme/shop'],
    ['https://ci:secret@git.example.com/acme/web/shop.git', 'acme/web/shop'],
    ['ssh://git@git.example.com:7999/acme/shop', 'acme/shop'],
    ['https://dev.azure.com/acme/_git/shop/', 'acme/_git/shop'],
    ['/srv/git/shop.git', 'srv/git/shop'],
    ['shop', undefined],
  ];
  test.each(clones)('the repository %s', (address, expected) => {
    const { repository } = ciEnvironmentOf({ BUILDKITE: 'true', BUILDKITE_REPO: address });
    expect(repository).toBe(expected);
  });
});

const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const build: CiEnvironment = {
  provider: 'github',
  repository: 'acme/shop',
  workflow: 'CI',
  branch: 'main',
  commit,
  build: '1658821493',
  buildNumber: '123',
  attempt: 1,
  job: 'unit Linux',
};
const { branch: _branch, ...noBranch } = build;
const { workflow: _workflow, ...noWorkflow } = build;

describe('the key of a run', () => {
  const cases: ReadonlyArray<readonly [string, CiEnvironment, string | undefined]> = [
    ['of GitHub', build, `github:acme/shop:CI:1658821493:${commit}:1`],
    ['of another job', { ...build, job: 'e2e' }, `github:acme/shop:CI:1658821493:${commit}:1`],
    ['run again', { ...build, attempt: 2 }, `github:acme/shop:CI:1658821493:${commit}:2`],
    ['without all', { provider: 'teamcity', build: '5' }, 'teamcity:-:-:5:-:-'],
    ['a colon', { ...build, workflow: 'a:b%' }, `github:acme/shop:a%3Ab%25:1658821493:${commit}:1`],
    ['without an id of the build', { provider: 'teamcity', buildNumber: '5' }, undefined],
  ];
  test.each(cases)('%s', (_title, environment, key) => expect(runKeyOf(environment)).toBe(key));

  test('is short, and differs with each part', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ':', '%', '-', '😀'), maxLength: 255 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 200, maxLength: 255 }),
    );
    const environment = fc.record({
      provider: fc.constantFrom('github' as const, 'gitlab' as const),
      repository: text,
      workflow: text,
      build: text,
      commit: text,
      attempt: fc.nat({ max: 999_999 }),
    });
    fc.assert(
      fc.property(environment, environment, fc.nat({ max: 5 }), (one, other, at) => {
        const name = (['provider', 'repository', 'workflow', 'build', 'commit', 'attempt'] as const)[at];
        const changed = { ...one, [name ?? 'build']: other[name ?? 'build'] };
        const [key, changedKey] = [runKeyOf(one) ?? '', runKeyOf(changed) ?? ''];
        expect(key.length).toBeLessThanOrEqual(255);
        expect(key.isWellFormed()).toBe(true);
        expect(key === changedKey).toBe(Bun.deepEquals(one, changed));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the name of a run', () => {
  const cases: ReadonlyArray<readonly [string, CiEnvironment, string]> = [
    ['of a branch', build, 'CI #123 · main @ 1a2b3c4'],
    ['run again', { ...build, attempt: 2 }, 'CI #123 · main @ 1a2b3c4 · attempt 2'],
    ['without a workflow', noWorkflow, 'GitHub Actions #123 · main @ 1a2b3c4'],
    ['of a tag', { ...noBranch, tag: 'v1' }, 'CI #123 · v1 @ 1a2b3c4'],
    ['of a pull request', { ...noBranch, pullRequest: '42' }, 'CI #123 · pull request 42 @ 1a2b3c4'],
    ['without a branch', noBranch, 'CI #123 · 1a2b3c4'],
    ['with nothing', { provider: 'teamcity' }, 'TeamCity'],
  ];
  test.each(cases)('%s', (_title, environment, name) => expect(runNameOf(environment)).toBe(name));

  test('is short', () => {
    const long = '😀'.repeat(127);
    const name =
      runNameOf({ ...build, workflow: long, branch: long, buildNumber: long, attempt: 999_999 }) ?? '';
    expect(name.length).toBeLessThanOrEqual(255);
    expect(name.isWellFormed()).toBe(true);
    expect(name).toEndWith(' @ 1a2b3c4 · attempt 999999');
  });
});
