import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, freshUser, startCtaKernel } from '../testing/cta-kernel.ts';
import { acceptTime, withoutFuture } from './future-times.ts';
import { stringMap } from './string-map.ts';
import { emptyState, type UserState } from './user-state.ts';

const clock = stillClock();
const now = clock.now();
const day = 24 * 60 * 60 * 1000;
const forever = 2 ** 53 - 1;

const trivet = await startCtaKernel(clock);
await trivet.call('create-behaviour-tag', { behaviourTagName: 'tag' });
const ctaId = await trivet.makeCta({ behaviourTagName: 'tag' }, 'LIVE');
afterAll(() => trivet.stop());

test.each([
  ['2^53-1', forever, now],
  ['a millisecond more than a day ahead', now + day + 1, now],
  ['a day ahead', now + day, now + day],
  ['now', now, now],
  ['the past', 5, 5],
  ['before 1970', -forever, -forever],
])('%s', (_what, time, heard) => expect(acceptTime(time, now)).toBe(heard));

const machine = (at: number, over: object = {}) => ({
  ctas: [
    {
      ctaId,
      activeStateMachines: { g: { currentState: '1', lastTransitionAt: at, createdAt: now, ...over } },
    },
  ],
});
const push = (user: string, body: object) => trivet.send(user, { path: deltaPath, body });

describe('a time far in the future', () => {
  test.each([
    ['lastTransitionAt', () => machine(forever)],
    ['createdAt', () => machine(now, { createdAt: forever })],
    ['a reset', () => machine(forever, { reset: true })],
    [
      'resetAt',
      () => ({ ctas: [{ ctaId, activeStateMachines: {}, resetAt: [now - 5, forever, forever - 1] }] }),
    ],
    ['actionDoneAt', () => ({ ctas: [{ ctaId, activeStateMachines: {}, actionDoneAt: [forever] }] })],
    [
      'ctasResetAt',
      () => ({
        behaviourTags: [
          { behaviourTagName: 'tag', exposureRule: { ctasResetAt: [{ ctaId, resetAt: forever }, forever] } },
        ],
      }),
    ],
  ])('%s is stored as the time of the server', async (_field, body) => {
    const user = freshUser();
    expect((await push(user, body())).status).toBe(200);
    const stored = JSON.stringify(await trivet.stored(user));
    expect(stored).toContain(String(now));
    expect(stored).not.toContain('900719925');
  });

  test('does not win for ever', async () => {
    const user = freshUser();
    await push(user, machine(forever));
    clock.advance(1_000);
    await push(user, machine(clock.now(), { currentState: '2' }));
    expect((await trivet.stored(user))?.ctas[ctaId]?.machines['g']).toMatchObject({ currentState: '2' });
    clock.set(now);
  });

  test('that an earlier version has stored does not, either', async () => {
    const user = freshUser();
    const stored = { currentState: '1', lastTransitionAt: forever, createdAt: forever };
    await trivet.store(user, {
      ...emptyState,
      version: 1,
      ctas: stringMap({
        [ctaId]: {
          machines: stringMap({ g: stored }),
          resetAt: { marks: [3, forever - 1, forever], clearedAt: 2 },
          actionDoneAt: { marks: [], clearedAt: forever },
        },
      }),
    });
    clock.advance(1_000);
    await push(user, machine(clock.now() + 1, { currentState: '2' }));
    const cta = (await trivet.stored(user))?.ctas[ctaId];
    expect(cta?.machines['g']).toMatchObject({ currentState: '2' });
    expect(cta?.resetAt).toEqual({ marks: [3, clock.now()], clearedAt: 2 });
    clock.set(now);
  });
});

test('a state without such times is left as it is', () => {
  const state: UserState = {
    ...emptyState,
    version: 1,
    ctas: stringMap({
      [ctaId]: {
        machines: stringMap({ g: { currentState: '1', lastTransitionAt: now, createdAt: now } }),
        resetAt: { marks: [1, now + day] },
        actionDoneAt: { marks: [] },
      },
    }),
    tags: stringMap({
      tag: {
        ctasResetAt: { marks: [4, { ctaId, resetAt: 5 }] },
        activeCtas: stringMap({ [ctaId]: { active: true, at: now } }),
      },
    }),
  };
  expect(withoutFuture(state, now)).toBe(state);
});
