import { startTestmgmtKernel } from './testmgmt-kernel.ts';
import { junitText } from './junit-text.ts';

/*
 * A project with the runs that a merge test needs, and its state in words. Runs and tests are named; `a upload old! new` is the upload of
 * the run a with the failing case "old" and the passing case "new", `?` is a skipped case. `a people old! new _` is a manual run, in which
 * `_` before a name means untested.
 */

type Kernel = Awaited<ReturnType<typeof startTestmgmtKernel>>;

const statusMark: Readonly<Record<string, string>> = { '!': 'failed', '?': 'skipped' };

const caseOf = (word: string) => {
  const [, untested = '', name = '', mark = ''] = /^(_?)([^!?]+)([!?]?)$/.exec(word) ?? [];
  return { name, status: untested ? 'untested' : (statusMark[mark] ?? 'passed') };
};

export async function startMergeScene() {
  const trivet = await startTestmgmtKernel();
  return { trivet, scene: () => sceneOf(trivet) };
}

async function sceneOf(trivet: Kernel) {
  const projectId = await trivet.makeProject();
  const runs = new Map<string, number>();
  const ids = new Map<string, number>();

  const note = async () => {
    const { tests } = (await trivet.call('get-tests', { projectId, limit: 500 })) as {
      tests: Array<{ testId: number; testName: string }>;
    };
    for (const { testId, testName } of tests) if (!ids.has(testName)) ids.set(testName, testId);
  };
  const idOf = (name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`no test ${name}`);
    return id;
  };
  const runIdOf = (run: string) => runs.get(run) ?? 0;

  const steps: Readonly<Record<string, (run: string, words: readonly string[]) => Promise<unknown>>> = {
    upload: async (run, words) => {
      const cases = words.map(caseOf).map(({ name, status }) => ({
        name,
        ...(status === 'failed' && { failed: `${name} in ${run}` }),
        ...(status === 'skipped' && { skipped: true as const }),
      }));
      const files = [{ name: 'junit.xml', content: junitText({ s: cases }) }];
      const report = await trivet.call('ingest-results', {
        projectId,
        files,
        runKey: run,
        runName: run,
        create: true,
      });
      runs.set(run, Number(report['runId']));
    },
    people: async (run, words) => {
      const cases = words.map(caseOf);
      const unknown = cases.filter(({ name }) => !ids.has(name)).map(({ name }) => ({ testName: name }));
      if (unknown.length > 0) await trivet.call('bulk-add-tests', { projectId, tests: unknown });
      await note();
      const testIds = cases.map(({ name }) => idOf(name));
      const { runId } = await trivet.call('create-run', { projectId, runName: run, testIds });
      runs.set(run, Number(runId));
      const testResults = cases.flatMap(({ name, status }) =>
        status === 'untested' ? [] : [{ testId: idOf(name), status }],
      );
      if (testResults.length > 0)
        await trivet.call('run-update-test-status', { projectId, runId, testResults });
    },
    removed: (run, words) =>
      trivet.call('run-remove-tests', { projectId, runId: runIdOf(run), testIds: words.map(idOf) }),
    untested: (run, words) =>
      trivet.call('run-update-test-status', {
        projectId,
        runId: runIdOf(run),
        testResults: words.map((name) => ({ testId: idOf(name), status: 'untested' })),
      }),
    locked: (run) => trivet.call('run-lock', { projectId, runId: runIdOf(run) }),
    deleted: (name) => trivet.call('delete-test', { projectId, testId: idOf(name) }),
    named: (name, [to = '']) => trivet.call('update-test', { testId: idOf(name), testName: to }),
  };

  return {
    projectId,
    idOf,
    runIdOf,
    do: async (step: string) => {
      trivet.clock.advance(1_000);
      const [subject = '', verb = '', ...words] = step.split(' ');
      const run = steps[verb];
      if (!run) throw new Error(`no step ${verb}`);
      await run(subject, words);
      await note();
    },
    /** Each test with its result in each run, each run with its counts, and each key with its test. */
    state: async () => {
      const { tests } = (await trivet.call('get-tests', { projectId, limit: 500 })) as {
        tests: Array<{ testId: number; testName: string; lastStatus: string | null }>;
      };
      const nameOf = new Map(tests.map(({ testId, testName }) => [testId, testName]));
      const histories = await Promise.all(
        tests.map(async ({ testId, testName }) => {
          const { history } = (await trivet.call('get-test-status-history', { projectId, testId })) as {
            history: Array<{ runName: string; status: string }>;
          };
          const said = history.toReversed().map(({ runName, status }) => `${runName} ${status}`);
          return `${testName}: ${said.join(', ')}`;
        }),
      );
      const counts = await Promise.all(
        [...runs].map(async ([run, runId]) => {
          const detail = (await trivet.call('run-detail', { projectId, runId })) as {
            counts: Record<string, number>;
          };
          const some = Object.entries(detail.counts).filter(([key, count]) => key !== 'total' && count > 0);
          return `${run}: ${some.map(([status, count]) => `${count} ${status}`).join(', ')}`;
        }),
      );
      const { aliases } = (await trivet.call('list-aliases', { projectId })) as {
        aliases: Array<{ key: string; testId: number; isAlias: boolean }>;
      };
      const keys = aliases.map(
        ({ key, testId, isAlias }) =>
          `${key.replace('s > ', '')} ${isAlias ? 'is an alias' : 'is the key'} of ${nameOf.get(testId) ?? 'none'}`,
      );
      return [...histories, ...counts, ...keys];
    },
  };
}
