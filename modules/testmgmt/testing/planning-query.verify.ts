import { expect, test } from 'bun:test';
import { nameKey } from '../../../core/text/name-key.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { ran, randomFrom, scaled, seed } from '../../../test/verify/scale.ts';
import { addLocalMember } from '../../auth/index.ts';
import {
  meantQuery,
  modelCoverage,
  runTerms,
  runTestTerms,
  testTerms,
  type PlanningNames,
} from './planning-model.ts';
import { makePlanningWorld } from './planning-world.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from './testmgmt-kernel.ts';

/*
 * Random queries about evidence and planning over random projects, for tests, runs and the tests of a run, and the coverage of
 * requirements: each answer equals that of a model over arrays.
 */
const worlds = scaled(15, 150);
const queries = scaled(25, 60);

/** Adds a member. @returns the id. */
async function join({ kernel, call }: TestmgmtKernel, email: string) {
  await addLocalMember(kernel.host, { email, name: email, role: 'member' });
  const { users } = (await call('get-all-users', { orgId: 1, limit: 500 })) as {
    users: Array<{ userId: number; email: string }>;
  };
  return { id: users.find((user) => user.email === email)?.userId ?? 0, email };
}

test(`${worlds * queries} random queries about evidence and planning (SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  const trivet = await startTestmgmtKernel();
  const { call, owner } = trivet;
  const others = [await join(trivet, 'ann@example.org'), await join(trivet, 'bob@example.org')];
  const people: PlanningNames['people'] = [{ id: owner.userId, email: 'me' }, ...others];
  let compared = 0;
  for (let n = 0; n < worlds; n++) {
    const { projectId, names, tests, runs } = await makePlanningWorld(trivet, random, people);
    const same = async (tool: string, text: string, args: object, wanted: readonly number[]) => {
      const answer = await call(tool, { projectId, ...args, query: text, limit: 500 });
      const rows = (answer['tests'] ?? answer['runs']) as Array<{ testId: number; runId: number }>;
      const got = rows.map((row) => (tool === 'get-runs' ? row.runId : row.testId));
      const sorted = got.toSorted((a, b) => a - b);
      expect({ n, tool, text, got: sorted }).toEqual({ n, tool, text, got: [...wanted] });
      compared++;
    };
    const live = tests.filter(({ isDeleted }) => !isDeleted);
    const coverage = async (query: string | undefined, of: typeof tests) => {
      const answer = await call('get-requirement-coverage', {
        projectId,
        limit: 500,
        ...(query === undefined ? {} : { query }),
      });
      const found = answer['requirements'] as Array<{ key: string }>;
      const byKey = Object.fromEntries(found.map(({ key, ...counts }) => [nameKey(key), counts]));
      expect({ n, query, byKey }).toEqual({ n, query, byKey: modelCoverage(of) as typeof byKey });
      compared++;
    };
    await coverage(undefined, tests);
    for (let m = 0; m < queries; m++) {
      const ofTests = meantQuery(random, names, testTerms);
      const fitting = live.filter(ofTests.fits);
      await same(
        'get-tests',
        ofTests.text,
        {},
        fitting.map(({ id }) => id),
      );
      if (m % 5 === 0) await coverage(ofTests.text, fitting);
      const ofRuns = meantQuery(random, names, runTerms);
      await same(
        'get-runs',
        ofRuns.text,
        {},
        runs.filter(ofRuns.fits).map(({ id }) => id),
      );
      if (runs.length === 0) continue;
      const run = random.pick(runs);
      const inRun = meantQuery(random, names, runTestTerms);
      const wanted = tests
        .filter((one) => run.assignees.has(one.id) && inRun.fits({ run, test: one }))
        .map(({ id }) => id);
      await same('get-run-tests-list', inRun.text, { runId: run.id }, wanted);
    }
  }
  ran(compared, `answers about evidence and planning on ${engine()}, each equal to the model`);
  await trivet.stop();
}, 3_600_000);
