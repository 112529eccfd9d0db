import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { versionWorld } from '../testing/version-world.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

// undo.verify.ts takes back more, once; here each is also taken back again.
const seeds = [1, 2];
const editsPerWorld = 40;

test.each(seeds)('random changes that are taken back in reverse leave what was there (%d)', async (seed) => {
  const world = await versionWorld(trivet, seed);
  const done: Array<{ name: string; activityId: number; before: string; at: string }> = [];
  while (done.length < editsPerWorld) {
    trivet.clock.advance(1_000);
    const before = await world.seen();
    const at = new Date(trivet.clock.now() - 1).toISOString();
    const edit = await world.edit();
    if (edit) done.push({ ...edit, before, at });
  }
  for (const { name, before, at } of done) expect(await world.seen(at), `as of ${name}`).toBe(before);
  const atTheEnd = await world.seen();
  let latest = await world.newestActivity();
  const undone: Array<{ name: string; activityId: number; before: string }> = [];
  for (const { name, activityId, before } of done.toReversed()) {
    trivet.clock.advance(1_000);
    const present = await world.seen();
    const answer = await trivet.call('undo-activity', { activityId });
    expect(answer, name).toMatchObject({ activityId, leftOut: [] });
    expect(await world.seen(), name).toBe(before);
    // Taking back a write that left everything as it was writes nothing.
    const newest = await world.newestActivity();
    if (present !== before || newest > latest) undone.push({ name, activityId: newest, before: present });
    latest = newest;
  }
  for (const { name, activityId, before } of undone.toReversed()) {
    trivet.clock.advance(1_000);
    await trivet.call('undo-activity', { activityId });
    expect(await world.seen(), `again ${name}`).toBe(before);
  }
  expect(await world.seen()).toBe(atTheEnd);
});
