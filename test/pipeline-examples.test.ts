import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary.ts';

const examples = join(import.meta.dir, '..', 'examples', 'ci');
const textOf = (file: string) => readFileSync(join(examples, file), 'utf8');

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const { jobs } = Bun.YAML.parse(textOf('github-actions.yml')) as {
  readonly jobs: { readonly test: { readonly steps: readonly Step[] } };
};
const { test: gitlab } = Bun.YAML.parse(textOf('gitlab-ci.yml')) as {
  readonly test: {
    readonly script: readonly string[];
    readonly after_script: readonly string[];
    readonly artifacts: { readonly when: string; readonly paths: readonly string[] };
  };
};
const step = (name: string): Step => {
  const found = jobs.test.steps.find((one) => one.name === name);
  if (!found) throw new Error(`No step is called ${name}.`);
  return found;
};

/** The shell commands of each example: for the tests, and for the upload. */
const scripts = {
  'build.sh': { both: textOf('build.sh') },
  'github-actions.yml': { tests: step('Test').run ?? '', upload: step('Upload the results').run ?? '' },
  'gitlab-ci.yml': { tests: gitlab.script.join('\n'), upload: gitlab.after_script.join('\n') },
} as const;

/** The flags of `trivet results`, with the fixed words that some of them accept. */
const flags: Readonly<Record<string, RegExp>> = {
  '--project': /./,
  '--run-key': /./,
  '--run-name': /./,
  '--create': /^(?:on|off)$/,
  '--dry-run': /^$/,
  '--fail-on': /^(?:any|new|none)$/,
  '--json': /^$/,
  '--output': /^(?:github|gitlab|markdown|table|json)$/,
  '--accept-renames': /^$/,
  '--attachments': /^(?:failed|all|none)$/,
  '--comment-file': /./,
  '--branch': /./,
  '--base-branch': /./,
  '--commit': /./,
  '--job': /./,
  '--url': /^"\$TRIVET_URL"$/,
  '--data': /./,
};

const uploads = Object.entries(scripts).flatMap(([file, of]) =>
  Object.values(of)
    .join('\n')
    .split('\n')
    .filter((line) => /^\s*trivet /.test(line))
    .map((line) => [file, line.trim().replace(/ \|\|.*$/, '')] as const),
);

test('each example uploads once', () => expect(uploads.map(([file]) => file)).toEqual(Object.keys(scripts)));

test.each(uploads)('%s: %s', (_file, command) => {
  expect(command).toStartWith("trivet results 'reports/*.xml' --project Shop --url ");
  for (const [, flag = '', value = ''] of command.matchAll(/ (--[\w-]+)(?: (?!--)(\S+))?/g)) {
    expect(Object.keys(flags)).toContain(flag);
    expect(value).toMatch(flags[flag] ?? /^$/);
  }
});

test('docs/pipelines.md names every flag, and no other', () => {
  const page = readFileSync(join(examples, '..', '..', 'docs', 'pipelines.md'), 'utf8');
  const table = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, flag]) => flag);
  const told = [...table, ...(page.includes('`--json`') ? ['--json'] : []), '--data'];
  expect(told.toSorted()).toEqual(Object.keys(flags).toSorted());
  const ofSplit = ['--shard', '--shards', '--project', '--run-key', '--json'];
  for (const [command] of page.matchAll(/trivet results [^`\n]*/g)) {
    const known = command.startsWith('trivet results split') ? ofSplit : Object.keys(flags);
    for (const [flag] of command.matchAll(/--[\w-]+/g)) expect(known).toContain(flag);
  }
});

test('the token comes from a secret variable, and is no argument', () => {
  expect(step('Upload the results').env).toEqual({
    TRIVET_URL: '${{ vars.TRIVET_URL }}',
    TRIVET_TOKEN: '${{ secrets.TRIVET_TOKEN }}',
  });
  for (const [, command] of uploads) expect(command).not.toContain('TOKEN');
});

test('results are uploaded and reports are kept when tests fail', () => {
  expect([step('Upload the results').if, step('Keep the reports').if]).toEqual(['always()', 'always()']);
  expect(gitlab.artifacts).toMatchObject({ when: 'always', paths: ['reports/'] });
});

/** Runs a script like the providers, in a folder with the suite. `trivet` is not on its PATH. */
function run(script: string, { fails = false, env = {} } = {}) {
  const folder = temporaryDirectory();
  cpSync(join(examples, 'cart.test.js'), join(folder, 'cart.test.js'));
  if (fails) {
    const suite = readFileSync(join(folder, 'cart.test.js'), 'utf8');
    writeFileSync(join(folder, 'cart.test.js'), suite.replace('total([2, 3]), 5', 'total([2, 3]), 6'));
  }
  const node = Bun.which('node') ?? '';
  const child = Bun.spawnSync(['sh', '-e', '-c', script], {
    cwd: folder,
    env: { PATH: `${join(node, '..')}:/usr/bin:/bin`, TRIVET_URL: 'http://127.0.0.1:9', ...env },
  });
  const report = join(folder, 'reports', 'junit.xml');
  const failures = existsSync(report)
    ? (readFileSync(report, 'utf8').match(/<failure /g) ?? []).length
    : undefined;
  return { exitCode: child.exitCode, output: child.stdout.toString(), failures };
}

/** The exit code of a shell for a missing command: here the upload. */
const notFound = 127;

describe('a script ends as the tests ended', () => {
  const { tests: github } = scripts['github-actions.yml'];
  const cases: ReadonlyArray<readonly [string, string, boolean, number]> = [
    ['GitHub', github, false, 0],
    ['GitHub', github, true, 1],
    ['GitLab', scripts['gitlab-ci.yml'].tests, false, 0],
    ['GitLab', scripts['gitlab-ci.yml'].tests, true, 1],
    ['build.sh, which says so when the upload failed', scripts['build.sh'].both, false, notFound],
    ['build.sh', scripts['build.sh'].both, true, 1],
  ];
  test.each(cases)('%s %#', (_title, script, fails, exitCode) => {
    const { failures, ...ended } = run(script, { fails });
    expect([ended.exitCode, failures]).toEqual([exitCode, fails ? 1 : 0]);
  });
});

test('a pull request of a fork, which gets no secrets, is no failure', () => {
  const { upload } = scripts['github-actions.yml'];
  expect(run(upload, { env: { TRIVET_TOKEN: '' } })).toMatchObject({
    exitCode: 0,
    output: 'No token here: the results are not uploaded.\n',
  });
  expect(run(upload, { env: { TRIVET_TOKEN: 'trv_x' } }).exitCode).toBe(notFound);
});
