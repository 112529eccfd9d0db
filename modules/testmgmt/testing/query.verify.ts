import { expect, test } from 'bun:test';
import { engine } from '../../../core/db/query/engine.ts';
import { ran, randomFrom, scaled, seed } from '../../../test/verify/scale.ts';
import { markTexts } from '../query/query-mark-store.ts';
import { modelQuery } from './query-model.ts';
import { makeWorld } from './query-world.ts';
import { startTestmgmtKernel } from './testmgmt-kernel.ts';

/*
 * Random queries over random projects: get-tests selects the same tests as a model over arrays, in id order. Mutation note: seen to fail
 * when a test without results fits no `failed:0`, when `-squad:x` leaves out tests without a squad, and when a day ends too early.
 */
const worlds = scaled(10, 40);
const queries = scaled(100, 250);

test(`${worlds * queries} random queries`, async () => {
  const random = randomFrom(seed);
  const trivet = await startTestmgmtKernel();
  const { kernel, call, clock, makeProject, owner } = trivet;
  for (let n = 0; n < worlds; n++) {
    const projectId = await makeProject();
    const about = { projectId, me: owner.userId, now: clock.now(), count: 1 + random.below(60) };
    const { world, tests } = await kernel.host.db.tx((q) => makeWorld(q, random, about));
    // Half of the projects are searched by marks; most of their tests are marked.
    if (n % 2 === 1) await markTexts({ db: kernel.host.db, clock });
    for (let m = 0; m < queries; m++) {
      const { text, fits } = modelQuery(random, world);
      if (text.length > 2_000 || text.split(':').length > 40) continue;
      const wanted = tests.filter((each) => !each.deleted && fits(each)).map(({ id }) => id);
      const answer = await call('get-tests', { projectId, query: text, limit: 500 });
      const got = (answer['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
      expect({ text, got, total: answer['total'] }).toEqual({ text, got: wanted, total: wanted.length });
    }
  }
  ran(worlds * queries, `random queries on ${engine()}, each equal to the model`);
  await trivet.stop();
});
