import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { weightOf } from '../state/json-weight.ts';
import { stateBudget } from '../state/state-budget.ts';
import {
  deltaPath,
  dropsCounted,
  freshUser,
  launchPath,
  machineAt,
  startCtaKernel,
} from '../testing/cta-kernel.ts';
import { UserQueue } from '../user-states/user-queue.ts';
import { longestBlock } from '../../../test/longest-block.ts';
import { rejectionOf, settled } from '../../../test/rejection.ts';

/*
 * A limit drops and never refuses: when a delta is refused with 400, the deployed SDK sends it again before every later delta and before
 * the next launch, so that the device never syncs again.
 */
const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
const live = await trivet.makeCta({}, 'LIVE');
afterAll(() => trivet.stop());

const machinesOf = (count: number, over: (index: number) => object = () => ({})) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, machineAt(now, over(i))]));
const body = (activeStateMachines: object) => ({ ctas: [{ ctaId: live, activeStateMachines }] });
const delta = (userId: string, activeStateMachines: object) =>
  trivet.send(userId, { path: deltaPath, body: body(activeStateMachines) });
/** The longest time for which nothing else could run while `work` ran. */
async function watched<T>(work: () => Promise<T>): Promise<{ longest: number; answer: T }> {
  const answers: T[] = [];
  const longest = await longestBlock(async () => void answers.push(await work()));
  return { longest, answer: answers[0] ?? expect.unreachable() };
}

const keptOf = async (userId: string) =>
  Object.keys((await trivet.stored(userId))?.ctas[live]?.machines ?? {});

/** Bodies that stopped the sync of a device, each together with a machine that must be accepted. */
const killers: [string, object, string][] = [
  ['a group key of 1,100 characters', { ['g'.repeat(1100)]: machineAt(now) }, 'group_key'],
  ['a context of 70 KB', { big: machineAt(now, { context: { text: 'x'.repeat(70_000) } }) }, 'context'],
  // Fewer bytes than the limit, but more values than are parsed.
  [
    'a context of 400,000 values',
    { big: machineAt(now, { context: { list: Array(400_000).fill(0) } }) },
    'context',
  ],
  [
    'a context nested 3,000 levels deep',
    {
      big: machineAt(now, {
        context: { list: JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) as unknown },
      }),
    },
    'context',
  ],
  [
    'a context of 20,000 values',
    { big: machineAt(now, { context: { list: Array(20_000).fill(0) } }) },
    'context',
  ],
  ['a state of 300 characters', { big: machineAt(now, { currentState: 'x'.repeat(300) }) }, 'name'],
];
for (const path of [deltaPath, launchPath]) {
  test.each(killers)(
    `%s: 200 by ${path}, the rest is kept, explain-cta says it`,
    async (_, machines, reason) => {
      const userId = freshUser();
      const counted = dropsCounted(trivet);
      const { status } = await trivet.send(userId, {
        path,
        body: body({ ...machines, good: machineAt(now) }),
      });
      expect(status).toBe(200);
      expect(await keptOf(userId)).toEqual(['good']);
      expect((await trivet.call('explain-cta', { userId }))['dropped']).toEqual({
        at: now,
        count: 1,
        reasons: [reason],
      });
      expect(dropsCounted(trivet)[reason]).toBe((counted[reason] ?? 0) + 1);
      expect((await delta(userId, { later: machineAt(now) })).status).toBe(200);
      expect(await keptOf(userId)).toEqual(['good', 'later']);
    },
  );
}

test('nothing was dropped of a user: null', async () => {
  const userId = freshUser();
  await delta(userId, machinesOf(1));
  expect((await trivet.call('explain-cta', { userId }))['dropped']).toBeNull();
});

test('more than 1,000 machines of a CTA: what has ended goes first, then the oldest', async () => {
  const userId = freshUser();
  const reset = (index: number) => ({ lastTransitionAt: index, reset: index >= 990 });
  expect((await delta(userId, machinesOf(1005, reset))).status).toBe(200);
  const kept = await keptOf(userId);
  expect(kept.length).toBe(1000);
  // 15 had been reset and had the newest times of all: five of them were dropped.
  expect(kept).toContain('k0');
  expect(kept.filter((key) => Number(key.slice(1)) >= 990)).toHaveLength(10);
  expect(kept).not.toContain('k990');
});

describe('the state of one user', () => {
  test('four deltas of nested zeros leave a state within its budget, and later deltas cost little', async () => {
    const userId = freshUser();
    const context = { zeros: Array.from({ length: 16 }, () => Array(500).fill(0)) };
    for (let round = 0; round < 4; round++) {
      const machines = machinesOf(4, (index) => ({ context, lastTransitionAt: round * 100 + index }));
      const named = Object.fromEntries(
        Object.entries(machines).map(([key, machine]) => [`${round}${key}`, machine]),
      );
      expect((await delta(userId, named)).status).toBe(200);
    }
    const stored = await trivet.stored(userId);
    expect(weightOf(stored, stateBudget)).not.toBeNull();
    // Only the newest of 8,018 values fits.
    expect(await keptOf(userId)).toEqual(['3k3']);
    const from = performance.now();
    await Promise.all(Array.from({ length: 60 }, (_, i) => delta(userId, { [`s${i}`]: machineAt(now) })));
    // This took 13 s.
    expect(performance.now() - from).toBeLessThan(3000);
    expect((await keptOf(userId)).length).toBe(61);
  });

  test('by bytes: the oldest machines go', async () => {
    const userId = freshUser();
    const context = { text: 'x'.repeat(60_000) };
    const machines = machinesOf(8, (index) => ({ context, lastTransitionAt: index }));
    expect((await delta(userId, machines)).status).toBe(200);
    expect((await keptOf(userId)).sort()).toEqual(['k4', 'k5', 'k6', 'k7']);
    const { text } = await trivet.send(userId, {});
    expect(
      Object.keys(
        (JSON.parse(text) as { data: { ctas: { activeStateMachines: object }[] } }).data.ctas[0]
          ?.activeStateMachines ?? {},
      ).length,
    ).toBe(4);
    // What was kept is long, so it is read in steps.
    const { dropped } = await trivet.call('explain-cta', { userId });
    expect(dropped).toMatchObject({ count: 4, reasons: ['state'] });
  });

  test('one that an earlier version let grow to 4 MiB is cut while it is read, and written smaller', async () => {
    const userId = freshUser();
    const context = { zeros: Array.from({ length: 60 }, () => Array(500).fill(0)), quote: 'a "} \\' };
    const machines = machinesOf(64, (index) => ({ context, lastTransitionAt: index }));
    const small = { small: machineAt(now, { lastTransitionAt: 99, context: { quote: '\\"' } }) };
    await trivet.store(userId, {
      version: 1,
      ctas: {
        [live]: {
          machines: { ...machines, ...small } as never,
          resetAt: { marks: [1, 2] },
          actionDoneAt: { marks: [3] },
        },
      },
      tags: {},
    });
    const { longest, answer } = await watched(() => trivet.send(userId, {}));
    const { text } = answer;
    expect(JSON.parse(text)).toMatchObject({ data: { ctas: [{ resetAt: [1, 2], actionDoneAt: [3] }] } });
    expect(await keptOf(userId)).toEqual(['small']);
    expect((await trivet.stored(userId))?.ctas[live]?.machines['small']).toEqual(small.small);
    expect((await trivet.call('explain-cta', { userId }))['dropped']).toMatchObject({
      count: 64,
      reasons: ['state'],
    });
    // Measured: 12 ms; 130 ms without yielding.
    expect(longest).toBeLessThan(100);
  });
});

test('a bounded number of requests of one user waits; the others come again', async () => {
  const line = new UserQueue();
  const gate = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 100 }, (_, i) => line.run('u', async () => (await gate.promise, i)));
  const refused = line.run('u', () => Promise.resolve(-1));
  expect(await rejectionOf(refused)).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 });
  expect(await line.run('other', () => Promise.resolve('free'))).toBe('free');
  gate.resolve();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  const failing = line.run('u', () => Promise.reject(new Error('broken')));
  expect(await settled(failing)).toThrow('broken');
  expect(await line.run('u', () => Promise.resolve('on'))).toBe('on');
});
