import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { stillClock } from '../../../test/kernel.ts';
import { rejectionOf, settled } from '../../../test/rejection.ts';
import { mintDevIdToken } from '../../auth/providers/dev-provider.ts';
import { ctaUserCounts, userAliases } from '../base/schema.ts';
import { slotOf } from '../counts/event-row.ts';
import type { UserState } from '../state/user-state.ts';
import { deltaPath, eventsPath, machineAt, startCtaKernel } from '../testing/cta-kernel.ts';
import { twoArms } from '../testing/sound-rule.ts';
import { keepAliases } from './user-merge.ts';

/*
 * A guest who signs in keeps what an app knows of them: no limit begins again. Late deltas of the guest reach the user, whatever comes
 * first.
 */
const clock = stillClock();
const trivet = await startCtaKernel(clock, { guests: 'true', 'rate-guest': '0' });
const live = await trivet.makeCta({}, 'LIVE');
await trivet.call('create-tenant', { tenantId: 'shop' });
const other = await trivet.makeCta({ tenantId: 'shop' }, 'LIVE');
afterAll(() => trivet.stop());

const day = 86_400_000;
const subOf = (token: unknown) => String(decodeJwt(String(token)).sub);
const push = (ctaId: string, groupKey: string, marks: readonly number[], over: object = {}) => ({
  ctas: [
    {
      ctaId,
      activeStateMachines: { [groupKey]: machineAt(clock.now(), over) },
      resetAt: marks,
      actionDoneAt: marks,
    },
  ],
});
const delta = async (userId: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await trivet.send(userId, { path: deltaPath, body, headers });
  expect([answer.status, answer.text]).toEqual([200, '{"data":true}']);
};

let people = 0;
/** A guest, and a person whose identity the guest turns out to have. */
async function pair() {
  const email = `merged-${++people}@example.org`;
  const guest = await trivet.post('/v1/auth/guest', { resources: [] });
  const person = await trivet.signIn(email);
  const guestToken = String(guest.body['accessToken']);
  return {
    guest: subOf(guestToken),
    user: subOf(person.accessToken),
    token: person.accessToken,
    switched: async () => {
      const identifier = await mintDevIdToken(trivet.kernel.host, email);
      const body = { idProvider: 'dev', identifier, onConflict: 'switch' };
      const answer = await trivet.post('/v1/auth/link', body, guestToken);
      expect(answer.status).toBe(200);
      return String(answer.body['accessToken']);
    },
  };
}

const marksOf = (state: UserState | null, ctaId = live) => [
  state?.ctas[ctaId]?.resetAt.marks,
  state?.ctas[ctaId]?.actionDoneAt.marks,
];

describe('a guest who switches', () => {
  test('brings the state along, in every tenant, and leaves none', async () => {
    const { guest, user, switched } = await pair();
    await delta(user, push(live, 'own', [1_000, 2_000]));
    await delta(guest, push(live, 'theirs', [2_000, 3_000]));
    await delta(guest, push(other, 'g', [4_000]), { 'x-tenant-id': 'shop' });
    await switched();
    const state = await trivet.stored(user);
    expect(Object.keys(state?.ctas[live]?.machines ?? {}).toSorted()).toEqual(['own', 'theirs']);
    expect(marksOf(state)).toEqual([
      [1_000, 2_000, 3_000],
      [1_000, 2_000, 3_000],
    ]);
    expect(marksOf(await trivet.stored(user, 'shop'), other)).toEqual([[4_000], [4_000]]);
    expect([await trivet.stored(guest), await trivet.stored(guest, 'shop')]).toEqual([null, null]);
  });

  test('sends late deltas for 30 days, with the token of the user or none', async () => {
    const { guest, user, switched } = await pair();
    await delta(guest, push(live, 'g', [1_000]));
    const token = await switched();
    await delta(guest, push(live, 'late', [2_000]));
    await delta(guest, push(live, 'later', [3_000]), { authorization: `Bearer ${token}` });
    expect(marksOf(await trivet.stored(user))).toEqual([
      [1_000, 2_000, 3_000],
      [1_000, 2_000, 3_000],
    ]);
    const launched = await trivet.send(guest, {});
    expect(JSON.parse(launched.text)).toMatchObject({
      data: { ctas: [{ ctaId: live, resetAt: [1_000, 2_000, 3_000] }] },
    });
    const stranger = await trivet.signIn('stranger@example.org');
    const headers = { authorization: `Bearer ${stranger.accessToken}` };
    expect((await trivet.send(guest, { path: deltaPath, headers, body: {} })).status).toBe(403);

    clock.advance(30 * day + 1);
    await keepAliases(trivet.kernel.host);
    await delta(guest, push(live, 'after', [4_000]));
    expect(marksOf(await trivet.stored(guest))).toEqual([[4_000], [4_000]]);
    expect(await trivet.kernel.host.db.q.select().from(userAliases)).toEqual([]);
  });
});

const orders: ReadonlyArray<readonly [string, readonly ('own' | 'theirs' | 'late' | 'switch')[]]> = [
  ['before', ['own', 'theirs', 'late', 'switch']],
  ['after', ['own', 'theirs', 'switch', 'late']],
  ['after, the user later', ['theirs', 'switch', 'late', 'own']],
  ['before, the user later', ['theirs', 'late', 'switch', 'own']],
];
test('a late delta comes to the same, whatever comes first', async () => {
  const results: unknown[] = [];
  for (const [, order] of orders) {
    const { guest, user, switched } = await pair();
    const steps = {
      own: () => delta(user, push(live, 'g', [1_000, 5_000], { lastTransitionAt: 20, currentState: 'own' })),
      theirs: () => delta(guest, push(live, 'g', [2_000], { lastTransitionAt: 30, currentState: 'guest' })),
      late: () => delta(guest, push(live, 'g', [3_000], { lastTransitionAt: 40, currentState: 'late' })),
      switch: switched,
    };
    for (const step of order) await steps[step]();
    results.push((await trivet.stored(user))?.ctas);
  }
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  expect(results[0]).toMatchObject({
    [live]: {
      machines: { g: { currentState: 'late' } },
      resetAt: { marks: [1_000, 2_000, 3_000, 5_000] },
    },
  });
});

test('deltas of both while they are merged are not lost', async () => {
  const { guest, user, switched } = await pair();
  await delta(user, push(live, 'g0', [1]));
  const marks = Array.from({ length: 20 }, (_, index) => 1_000 + index);
  await Promise.all([
    ...marks.map((mark) => delta(mark % 2 === 0 ? guest : user, push(live, `g${mark}`, [mark]))),
    switched(),
  ]);
  // What slipped in under the former id is joined a minute later.
  clock.advance(60_001);
  await keepAliases(trivet.kernel.host);
  expect(marksOf(await trivet.stored(user))[0]).toEqual([1, ...marks]);
  expect(await trivet.stored(guest)).toBeNull();
});

test('merge-users joins as well, and what was an alias of the duplicate is one of the user', async () => {
  const first = await pair();
  await delta(first.guest, push(live, 'a', [1_000]));
  await first.switched();
  const second = await pair();
  await delta(second.user, push(live, 'b', [2_000]));
  const ids = { userId: Number(second.user), duplicateId: Number(first.user) };
  await trivet.call('merge-users', ids);
  await delta(first.guest, push(live, 'c', [3_000]));
  await delta(first.user, push(live, 'd', [4_000]));
  expect(marksOf(await trivet.stored(second.user))[0]).toEqual([1_000, 2_000, 3_000, 4_000]);
  expect([await trivet.stored(first.guest), await trivet.stored(first.user)]).toEqual([null, null]);
});

test('a switch that fails joins nothing', async () => {
  const { guest, user } = await pair();
  await delta(guest, push(live, 'g', [1_000]));
  const { host } = trivet.kernel;
  const failing = host.db.tx(async (q) => {
    await host.tellMerged(q, { fromUserId: Number(guest), intoUserId: Number(user), at: clock.now() });
    throw new Error('later in the transaction');
  });
  expect(await settled(failing)).toThrow('later');
  expect([marksOf(await trivet.stored(guest))[0], await trivet.stored(user)]).toEqual([[1_000], null]);
});

test('who stays is no guest', async () => {
  const { guest, user } = await pair();
  const refused = trivet.call('merge-users', { userId: Number(guest), duplicateId: Number(user) });
  expect(await rejectionOf(refused)).toMatchObject({ code: 'CONFLICT' });
});

test('a stamp that the guest and the user both have sent is counted once', async () => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  const { guest, user, switched } = await pair();
  await delta(guest, push(ctaId, 'g', [1_000, 2_000]));
  await delta(user, push(ctaId, 'g', [2_000, 3_000]));
  const figures = async () => {
    const { items, users } = await trivet.call('get-cta-metrics', { ctaId });
    const funnel = await trivet.call('get-cta-funnel', { ctaId });
    return { items, users, ...funnel };
  };
  expect(await figures()).toMatchObject({
    items: [{ actions: 4, completions: 4 }],
    users: { acted: 2 },
    states: [{ state: '1', now: 2, ever: 2 }],
  });
  await switched();
  const joined = {
    items: [{ actions: 3, completions: 3 }],
    users: { acted: 1, completed: 1 },
    states: [{ state: '1', now: 1, ever: 1 }],
  };
  expect(await figures()).toMatchObject(joined);
  await delta(guest, push(ctaId, 'g', [1_000, 2_000, 3_000]));
  expect(await figures()).toMatchObject(joined);
});

/** @see The sum of the user who ends was reduced, where such an event does not stand: it counted twice for ever. */
describe('what two users have both sent is counted once', () => {
  const slots = new Map(Array.from({ length: 99 }, (_, n) => [slotOf(String(9_000 + n)), 9_000 + n]));
  const [guest = 0, person = 0, other = 0] = slots.values();
  const become = (fromUserId: number, intoUserId: number) =>
    trivet.kernel.host.db.tx((q) =>
      trivet.kernel.host.tellMerged(q, { fromUserId, intoUserId, at: clock.now() }),
    );

  test('also a stamp that came with an earlier merge', async () => {
    const ctaId = await trivet.makeCta({}, 'LIVE');
    await delta(String(guest), push(ctaId, 'g', [1_000]));
    await become(guest, person);
    await delta(String(other), push(ctaId, 'g', [1_000]));
    await become(person, other);
    expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({
      items: [{ actions: 1, completions: 1 }],
    });
  });

  test('also an event that was counted in an arm which the app did not name', async () => {
    const ctaId = await trivet.makeCta({ experiment: twoArms }, 'LIVE');
    await trivet.call('start-experiment', { ctaId });
    for (const user of ['9998', '9999']) {
      const body = { events: [{ id: 'same', type: 'click', ctaId }] };
      await trivet.send(user, { path: eventsPath, body });
    }
    await become(9_998, 9_999);
    expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({ items: [{ clicks: 1 }] });
  });
});

test('what the user or the guest has seen already is no new impression', async () => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  const { guest, user, switched } = await pair();
  let ids = 0;
  const sees = async (userId: string, ...groups: string[]) => {
    const events = groups.map((groupKey) => ({
      id: `seen-${++ids}`,
      type: 'impression',
      ctaId,
      groupKey,
      at: clock.now() + ids,
    }));
    const { text } = await trivet.send(userId, { path: eventsPath, body: { events } });
    return (JSON.parse(text) as { data: unknown }).data;
  };
  expect(await sees(user, 'a', 'b')).toMatchObject({ accepted: 2 });
  expect(await sees(guest, 'b', 'c')).toMatchObject({ accepted: 2 });
  await switched();
  expect(await sees(user, 'a', 'b', 'c')).toMatchObject({ accepted: 0, duplicate: 3 });
});

describe('get-cta-funnel counts the joined user in the states that the joined state has', () => {
  type Copies = Readonly<Record<string, object>>;
  const at = (state: string, time: number, over: object = {}): object =>
    machineAt(clock.now(), { currentState: state, lastTransitionAt: time, ...over });
  const ended = (state: string, time: number) => at(state, time, { reset: true });

  test.each<[string, Copies, Copies, Readonly<Record<string, number>>]>([
    ['the user went on', { a: at('1', 1) }, { a: at('2', 2) }, { '1': 0, '2': 1 }],
    ['the guest went on', { a: at('2', 2) }, { a: at('1', 1) }, { '1': 0, '2': 1 }],
    ['the user ended it', { a: at('1', 1) }, { a: ended('2', 2) }, { '1': 0, '2': 0 }],
    ['the guest ended it', { a: ended('2', 2) }, { a: at('1', 1) }, { '1': 0, '2': 0 }],
    ['both are in one state', { a: at('1', 1) }, { a: at('1', 2) }, { '1': 1 }],
    [
      'each went on in another machine',
      { a: at('1', 1), b: at('2', 2) },
      { a: at('2', 2), b: at('1', 1) },
      { '1': 0, '2': 1 },
    ],
  ])('%s', async (_, ofGuest, ofUser, now) => {
    const ctaId = await trivet.makeCta({}, 'LIVE');
    const { guest, user, switched } = await pair();
    await delta(guest, { ctas: [{ ctaId, activeStateMachines: ofGuest }] });
    await delta(user, { ctas: [{ ctaId, activeStateMachines: ofUser }] });
    await switched();
    const { states } = (await trivet.call('get-cta-funnel', { ctaId })) as {
      states: Array<{ state: string; now: number }>;
    };
    expect(Object.fromEntries(states.map((one) => [one.state, one.now]))).toEqual(now);
  });
});

test('purge-cta-user erases what is stored under the number of the guest, too', async () => {
  const { guest, user, switched } = await pair();
  const cohortName = `list ${guest}`;
  await trivet.call('create-cohort', { cohortName, kind: 'list', userIds: [guest, user] });
  await trivet.call('set-user-attributes', { users: [{ userId: guest, attributes: { city: 'Rome' } }] });
  await delta(user, push(live, 'u', [1_000]));
  await switched();
  const erased = { tenantId: 'default', userId: user, state: true, attributes: true, cohorts: [cohortName] };
  expect(await trivet.call('purge-cta-user', { userId: user })).toEqual(erased);
  expect(await trivet.call('get-user-attributes', { userId: guest })).toMatchObject({ attributes: {} });
  expect(await trivet.call('get-cohort', { cohortName })).toMatchObject({ size: 0 });
});

/** @see It answered that there was nothing, and the next launch under that number showed all of it. */
test('purge-cta-user also takes the number under which an app still asks', async () => {
  const { guest, user, switched } = await pair();
  await delta(user, push(live, 'u', [1_000]));
  await switched();
  await delta(guest, push(live, 'late', [2_000]));
  expect(await trivet.call('purge-cta-user', { userId: guest })).toMatchObject({ userId: user, state: true });
  expect(await trivet.stored(user)).toBeNull();
});

/** @see A custom event and a conversion may name no CTA; their row kept the number of the user, and of the guest for ever. */
test('what is counted of no CTA goes with the guest to the user, and with the user', async () => {
  const { guest, user, switched } = await pair();
  const countedOf = async (userId: string) =>
    (await trivet.kernel.host.db.q.select().from(ctaUserCounts)).filter((row) => row.userId === userId);
  const bought = { events: [{ id: 'b', type: 'custom', name: 'bought' }] };
  await trivet.send(guest, { path: eventsPath, body: bought });
  expect(await countedOf(guest)).toMatchObject([{ ctaId: 0 }]);
  await switched();
  expect([await countedOf(guest), await countedOf(user)]).toMatchObject([[], [{ ctaId: 0 }]]);
  await trivet.call('purge-cta-user', { userId: user });
  expect(await countedOf(user)).toEqual([]);
});
