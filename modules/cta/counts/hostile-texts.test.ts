import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { emptyState } from '../state/user-state.ts';
import { deltaPath, eventsPath, freshUser, machineAt, startCtaKernel } from '../testing/cta-kernel.ts';

/**
 * A state of a user is one JSON text, so every text in it can be stored. Counts put states and ids into columns with an index: U+0000,
 * half a character and texts above 2.7 kB would be refused there by PostgreSQL, and with them the delta.
 *
 * Mutation note: seen to fail on PostgreSQL without the test for countable states, and without that for ids of events.
 */
const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
const live = await trivet.makeCta({}, 'LIVE');

const deltaOf = async (userId: string, machines: object, stamps: object = {}) => {
  const body = { ctas: [{ ctaId: live, activeStateMachines: machines, ...stamps }] };
  return (await trivet.send(userId, { path: deltaPath, body })).status;
};
const statesOf = async (userId: string) =>
  Object.values((await trivet.stored(userId))?.ctas[live]?.machines ?? {}).map((machine) =>
    'currentState' in machine ? machine.currentState : null,
  );
const counted = async () => {
  const { states } = (await trivet.call('get-cta-funnel', { ctaId: live })) as unknown as {
    states: readonly { state: string; now: number; ever: number }[];
  };
  return states;
};
const hostile = ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\ud800\u0000'];

describe('a state that no rule can name', () => {
  test.each(hostile)('%j is stored as it was sent, and counts as none', async (currentState) => {
    const before = await counted();
    const user = freshUser();
    expect(await deltaOf(user, { g: machineAt(clock.now(), { currentState }) })).toBe(200);
    expect(await statesOf(user)).toEqual([currentState]);
    expect(await counted()).toEqual(before);
  });

  test.each(hostile)('%j that a user comes into from another: that one is left', async (currentState) => {
    const user = freshUser();
    expect(await deltaOf(user, { g: machineAt(clock.now(), { currentState: 'before' }) })).toBe(200);
    const there = async () => (await counted()).find(({ state }) => state === 'before')?.now;
    expect(await there()).toBe(1);
    const later = { currentState, lastTransitionAt: 11 };
    expect(await deltaOf(user, { g: machineAt(clock.now(), later) }, { actionDoneAt: [11] })).toBe(200);
    expect(await statesOf(user)).toEqual([currentState]);
    expect(await there()).toBe(0);
    expect(await deltaOf(user, { g: machineAt(clock.now(), { currentState: 'after' }) })).toBe(200);
  });

  test('the state of a reset that is cut within a character', async () => {
    const currentState = `${'x'.repeat(255)}\ud83d\ude00`;
    expect(await deltaOf(freshUser(), { g: machineAt(clock.now(), { currentState, reset: true }) })).toBe(
      200,
    );
  });

  test('a longer one that an earlier version stored is left', async () => {
    const user = freshUser();
    const currentState = Array.from({ length: 9_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
    const machine = { currentState, lastTransitionAt: 5, createdAt: 5 };
    const empty = { marks: [] };
    await trivet.store(user, {
      ...emptyState,
      ctas: { [live]: { machines: { g: machine }, resetAt: empty, actionDoneAt: empty } },
    });
    expect(await deltaOf(user, { g: machineAt(clock.now()) })).toBe(200);
    expect(await statesOf(user)).toEqual(['1']);
  });
});

test('the longest state that is stored is counted', async () => {
  const currentState = Array.from({ length: 256 }, (_, n) => String.fromCodePoint(0x4e00 + n * 37)).join('');
  const user = freshUser();
  const tenantId = `t${'-'.repeat(127)}`;
  const ctaId = await trivet.makeCta({ tenantId }, 'LIVE');
  const body = { ctas: [{ ctaId, activeStateMachines: { g: machineAt(clock.now(), { currentState }) } }] };
  const headers = { 'x-tenant-id': tenantId };
  expect((await trivet.send(user, { path: deltaPath, body, headers })).status).toBe(200);
  expect(await trivet.call('get-cta-funnel', { ctaId })).toEqual({
    states: [{ state: currentState, now: 1, ever: 1 }],
  });
});

test.each([...hostile, '__proto__', '', 'x'.repeat(512)])('the group key %j', async (groupKey) => {
  const user = freshUser();
  const machines = `{${JSON.stringify(groupKey)}:${JSON.stringify(machineAt(clock.now()))}}`;
  const body = `{"ctas":[{"ctaId":"${live}","activeStateMachines":${machines},"resetAt":[7]}]}`;
  for (let n = 0; n < 2; n++) expect((await trivet.send(user, { path: deltaPath, body })).status).toBe(200);
  expect(Object.keys((await trivet.stored(user))?.ctas[live]?.machines ?? {})).toEqual([groupKey]);
});

describe('POST /cta/events/', () => {
  const report = async (events: readonly object[]) => {
    const answer = await trivet.send(freshUser(), { path: eventsPath, body: { events } });
    expect(answer.status).toBe(200);
    return (JSON.parse(answer.text) as { data: object }).data;
  };

  test.each(hostile)('an id %j is dropped', async (id) => {
    const events = [
      { id, type: 'click', ctaId: live },
      { id: 'sound', type: 'click', ctaId: live },
    ];
    expect(await report(events)).toEqual({ accepted: 1, duplicate: 0, dropped: 1 });
  });

  test.each(hostile)('%j in every other text is left out', async (text) => {
    const over = {
      actionId: text,
      groupKey: text,
      state: text,
      variant: text,
      element: text,
      reason: text,
      name: `n${text}`,
      value: text,
    };
    const events = ['impression', 'click', 'dismiss', 'conversion', 'held', 'custom'].map((type) => ({
      ...over,
      id: type,
      type,
      ctaId: live,
    }));
    expect(await report(events)).toEqual({ accepted: 6, duplicate: 0, dropped: 0 });
  });

  test.each(hostile)('%j in place of a type, a CTA or a time is dropped', async (text) => {
    const event = { id: 'x', type: 'click', ctaId: live };
    expect(
      await report([
        { ...event, type: text },
        { ...event, ctaId: text },
        { ...event, at: text },
      ]),
    ).toEqual({ accepted: 0, duplicate: 0, dropped: 3 });
  });
});
