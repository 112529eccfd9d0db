import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { and, asc, eq } from 'drizzle-orm';
import { localExecutor } from '../../core/kernel.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../test/kernel.ts';
import { tombstoneLifetime } from './archive.ts';
import { emptyCtaState, emptyState, emptyTagState, type UserState } from './state.ts';
import { userStates } from './schema.ts';

const clock = stillClock();
const now = clock.now();
let trivet: TestKernel;
/** Ids of a live CTA with a time to live, a paused one and a draft, all in the tenant `default`. */
let live = '';
let paused = '';
let draft = '';

const launchPath = '/cta/active/state-machines/';
const deltaPath = '/cta/state-machines/snapshot/delta/';
const tag = { behaviourTagName: 'checkout', exposureRule: { lifespan: { limit: 3 } } };
const rule = {
  stateToAction: { '1': 'a' },
  stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
  actions: [{ actionId: 'a', type: 'POPUP' }],
  stateMachineTTL: 60_000,
};
const ruleOnWire =
  '{"stateToAction":{"1":"a"},"resetStates":[],"resetCTAonFirstLaunch":false,"contextParams":[],' +
  '"stateTransition":{"opened":{"0":[{"transitionTo":"1"}]}},"groupByConfig":{"groupByKeys":[]},"priority":0,' +
  '"stateMachineTTL":60000,"ctaValidTill":null,"actions":[{"actionId":"a","type":"POPUP"}],"frequency":{}}';

async function call(tool: string, input: object): Promise<Record<string, unknown>> {
  const { kernel } = trivet;
  const owner = await kernel.identity.local(kernel.host, undefined);
  const output = await localExecutor(kernel, owner, {}).call(tool, input, {
    signal: AbortSignal.timeout(10_000),
  });
  return output as Record<string, unknown>;
}

async function makeCta(fields: object, ...statuses: string[]): Promise<string> {
  const ctaId = String((await call('create-cta', { name: 'c', rule, ...fields }))['ctaId']);
  for (const status of statuses) await call('set-cta-status', { ctaId, status });
  return ctaId;
}

beforeAll(async () => {
  trivet = await startTestKernel({ clock });
  await call('create-behaviour-tag', tag);
  live = await makeCta({ behaviourTagName: 'checkout' }, 'LIVE');
  paused = await makeCta({}, 'LIVE', 'PAUSED');
  draft = await makeCta({});
});
afterAll(() => trivet.stop());

let users = 0;
/** A user nobody has used yet. */
const freshUser = () => String(++users);

async function stored(userId: string, tenantId = 'default'): Promise<UserState | null> {
  const [row] = await trivet.kernel.host.db.q
    .select({ state: userStates.state })
    .from(userStates)
    .where(and(eq(userStates.tenantId, tenantId), eq(userStates.userId, userId)));
  return row ? (JSON.parse(row.state) as UserState) : null;
}

const allStored = () =>
  trivet.kernel.host.db.q.select().from(userStates).orderBy(asc(userStates.tenantId), asc(userStates.userId));

async function store(userId: string, state: UserState): Promise<void> {
  await trivet.kernel.host.db.tx(async (q) => {
    await q
      .insert(userStates)
      .values({ tenantId: 'default', userId, state: JSON.stringify(state), updatedAt: 1 });
  });
}

interface Sent {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Text as it is; anything else as JSON; undefined is no body. */
  readonly body?: unknown;
}

async function send(userId: string, { path = launchPath, headers = {}, body }: Sent) {
  const response = await trivet.fetch(path, {
    method: 'POST',
    headers: {
      'auth-userid': userId,
      api_version: '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const machine = (over: object = {}) => ({
  currentState: '1',
  lastTransitionAt: 10,
  createdAt: now - 1000,
  ...over,
});
/** A body with one machine of the live CTA. */
const push = (over: object = {}, groupKey = 'g') => ({
  ctas: [{ ctaId: live, activeStateMachines: { [groupKey]: machine(over) } }],
});
/** A state with these parts of the live CTA. */
const having = (over: object): UserState => ({
  ...emptyState,
  ctas: { [live]: { ...emptyCtaState, ...over } },
});
const tagJson = (marks = '[]') =>
  `[{"behaviourTagName":"checkout","exposureRule":{"lifespan":{"limit":3},"ctasResetAt":${marks}}}]`;
const launched = (part = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]', tags = tagJson()) =>
  `{"data":{"ctas":[{"ctaId":"${live}","rule":${ruleOnWire},${part},"behaviourTagName":"checkout"}],` +
  `"behaviourTags":${tags}}}`;
const machineJson = (over: object = {}) => JSON.stringify(machine(over));
const withMachine = (over: object = {}) =>
  launched(`"activeStateMachines":{"g":${machineJson(over)}},"resetAt":[],"actionDoneAt":[]`);

interface Case {
  readonly what: string;
  readonly before?: () => UserState;
  readonly sent: () => Sent;
  readonly answer: () => string;
  /** null: no row; undefined: the row as it was before. */
  readonly after?: () => UserState | null;
}

const cases: readonly Case[] = [
  {
    what: 'launch of a user nobody knows, without body: nothing is stored',
    sent: () => ({}),
    answer: () => launched(),
  },
  {
    what: 'launch with an empty object, without the slash',
    sent: () => ({ path: '/cta/active/state-machines', body: {} }),
    answer: () => launched(),
  },
  {
    what: 'launch with null lists and a charset',
    sent: () => ({
      body: { ctas: null, behaviourTags: null },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }),
    answer: () => launched(),
  },
  {
    what: 'launch answers what is stored and writes nothing',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: {} }),
    answer: () => withMachine(),
  },
  {
    what: 'launch with the copy that is stored already: nothing is written',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: push() }),
    answer: () => withMachine(),
  },
  {
    what: 'launch merges a newer copy',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ body: push({ currentState: '2', lastTransitionAt: 11 }) }),
    answer: () => withMachine({ currentState: '2', lastTransitionAt: 11 }),
    after: () => having({ machines: { g: machine({ currentState: '2', lastTransitionAt: 11 }) } }),
  },
  {
    what: 'launch keeps the stored copy when it is newer',
    before: () => having({ machines: { g: machine({ lastTransitionAt: 11 }) } }),
    sent: () => ({ body: push({ currentState: '2' }) }),
    answer: () => withMachine({ lastTransitionAt: 11 }),
  },
  {
    what: 'launch drops a machine past its time to live and a tombstone past its month',
    before: () =>
      having({
        machines: {
          g: machine({ createdAt: now - 60_001 }),
          h: { removed: true, lastTransitionAt: 1, receivedAt: now - tombstoneLifetime - 1 },
        },
      }),
    sent: () => ({ body: {} }),
    answer: () => launched(),
    after: () => having({}),
  },
  {
    what: 'launch drops the state of a draft and of a CTA that is not there; a paused one is hidden and kept',
    before: () => ({
      ...emptyState,
      ctas: {
        [paused]: { ...emptyCtaState, actionDoneAt: { marks: [1] } },
        [draft]: { ...emptyCtaState, actionDoneAt: { marks: [2] } },
        '999999': { ...emptyCtaState, actionDoneAt: { marks: [3] } },
      },
    }),
    sent: () => ({ body: {} }),
    answer: () => launched(),
    after: () => ({
      ...emptyState,
      ctas: { [paused]: { ...emptyCtaState, actionDoneAt: { marks: [1] } } },
    }),
  },
  {
    what: 'launch takes behaviour tags without CTAs, and no limits from clients',
    sent: () => ({
      body: {
        behaviourTags: [
          {
            behaviourTagName: 'checkout',
            exposureRule: { lifespan: { limit: 99 }, ctasResetAt: [{ ctaId: '7', resetAt: 5 }] },
          },
        ],
      },
    }),
    answer: () => launched(undefined, tagJson('[{"ctaId":"7","resetAt":5}]')),
    after: () => ({
      ...emptyState,
      tags: { checkout: { ...emptyTagState, ctasResetAt: { marks: [{ ctaId: '7', resetAt: 5 }] } } },
    }),
  },
  {
    what: 'launch ignores CTAs and tags that are not there',
    sent: () => ({
      body: {
        ctas: [
          { ctaId: '999999', activeStateMachines: { g: machine() } },
          { ctaId: draft, activeStateMachines: { g: machine() } },
        ],
        behaviourTags: [{ behaviourTagName: 'nobody', exposureRule: { ctasResetAt: [1] } }],
        other: true,
      },
    }),
    answer: () => launched(),
  },
  {
    what: 'delta merges and says true',
    sent: () => ({
      path: deltaPath,
      body: { ctas: [{ ctaId: live, activeStateMachines: {}, resetAt: [7, 5], actionDoneAt: [6] }] },
    }),
    answer: () => '{"data":true}',
    after: () => having({ resetAt: { marks: [5, 7] }, actionDoneAt: { marks: [6] } }),
  },
  {
    what: 'delta of a paused CTA is kept',
    sent: () => ({
      path: deltaPath,
      body: { ctas: [{ ctaId: paused, activeStateMachines: {}, resetAt: [5] }] },
    }),
    answer: () => '{"data":true}',
    after: () => ({ ...emptyState, ctas: { [paused]: { ...emptyCtaState, resetAt: { marks: [5] } } } }),
  },
  {
    what: 'delta that says nothing new, without the slash: true, and nothing is written',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ path: '/cta/state-machines/snapshot/delta', body: push() }),
    answer: () => '{"data":true}',
  },
  {
    what: 'delta with a reset leaves a tombstone',
    before: () => having({ machines: { g: machine() } }),
    sent: () => ({ path: deltaPath, body: push({ reset: true }) }),
    answer: () => '{"data":true}',
    after: () => having({ machines: { g: { removed: true, lastTransitionAt: 10, receivedAt: now } } }),
  },
  {
    what: 'delta with group keys that are words of JavaScript',
    sent: () => ({
      path: deltaPath,
      body: `{"ctas":[{"ctaId":"${live}","activeStateMachines":{"__proto__":${JSON.stringify(machine())}}}]}`,
    }),
    answer: () => '{"data":true}',
    after: () => having({ machines: JSON.parse(`{"__proto__":${JSON.stringify(machine())}}`) as object }),
  },
];

describe('what is answered and what is stored', () => {
  test.each(cases.map((one) => [one.what, one] as const))(
    '%s',
    async (_, { before, sent, answer, after }) => {
      const userId = freshUser();
      if (before) await store(userId, before());
      const others = (await allStored()).filter((row) => row.userId !== userId);
      const { status, headers, text } = await send(userId, sent());
      expect([status, text]).toEqual([200, answer()]);
      expect(headers.get('content-type')).toBe('application/json');
      const expected = after ? after() : (before?.() ?? null);
      expect(JSON.stringify(await stored(userId))).toBe(JSON.stringify(expected));
      expect((await allStored()).filter((row) => row.userId !== userId)).toEqual(others);
      // An unchanged row was not written again either.
      if (!after && before) {
        expect((await allStored()).find((row) => row.userId === userId)?.updatedAt).toBe(1);
      }
    },
  );
});

describe('what is refused', () => {
  const invalid = (message: string) => ({ code: 'INVALID_REQUEST', message: `Invalid request: ${message}` });
  const long = 'must be a whole number of at most 2^53-1';

  test.each<[string, () => Sent, number, object]>([
    ['no user', () => ({ headers: { 'auth-userid': '' } }), 400, { code: 'INVALID_REQUEST' }],
    [
      'a user that is no long',
      () => ({ headers: { 'auth-userid': '9223372036854775808' } }),
      400,
      invalid('header auth-userid must be a signed 64-bit integer'),
    ],
    [
      'an api_version that is no long',
      () => ({ headers: { api_version: '1.5' } }),
      400,
      invalid('header api_version must be a long'),
    ],
    [
      'a tenant that cannot be',
      () => ({ headers: { 'x-tenant-id': 'a b' } }),
      400,
      { code: 'INVALID_REQUEST' },
    ],
    ['no JSON', () => ({ body: '{"ctas":' }), 400, invalid('body is not a JSON document in UTF-8')],
    ['a list', () => ({ body: [] }), 400, invalid('body must be an object')],
    ['null', () => ({ body: 'null' }), 400, invalid('body must be an object')],
    [
      'a machine without a state',
      () => ({ body: push({ currentState: undefined }) }),
      400,
      invalid('ctas[0].activeStateMachines.g.currentState is required'),
    ],
    [
      'a time beyond 2^53-1',
      () => ({ body: push({ lastTransitionAt: 2 ** 53 }) }),
      400,
      invalid(`ctas[0].activeStateMachines.g.lastTransitionAt ${long}`),
    ],
    [
      'a CTA twice, though the first could be stored',
      () => ({ body: { ctas: [...push().ctas, ...push().ctas] } }),
      400,
      invalid('ctas[1].ctaId is the same as that of ctas[0]'),
    ],
    [
      'an unknown unit',
      () => ({
        body: { behaviourTags: [{ behaviourTagName: 'x', exposureRule: { window: { unit: 'weeks' } } }] },
      }),
      400,
      invalid('behaviourTags[0].exposureRule.window.unit must be one of days, hours, minutes, seconds'),
    ],
    [
      'a form',
      () => ({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      { code: 'UNSUPPORTED_MEDIA_TYPE' },
    ],
    [
      'more than a mebibyte',
      () => ({ body: `"${'x'.repeat(1024 * 1024)}"` }),
      413,
      { code: 'PAYLOAD_TOO_LARGE' },
    ],
    [
      'a bearer that is none',
      () => ({ body: push(), headers: { authorization: 'Bearer abc' } }),
      401,
      { code: 'UNAUTHENTICATED' },
    ],
    [
      'credentials of another kind',
      () => ({ body: push(), headers: { authorization: 'Basic YTpi' } }),
      401,
      { code: 'UNAUTHENTICATED' },
    ],
  ])('%s, by both endpoints, and nothing is written', async (_, sent, status, error) => {
    const before = await allStored();
    for (const path of [launchPath, deltaPath]) {
      const answer = await send(freshUser(), { path, ...sent() });
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, { error }]);
    }
    expect(await allStored()).toEqual(before);
  });

  test('a state that outgrows its limit: nothing of the request is kept', async () => {
    const userId = freshUser();
    const context = { text: 'x'.repeat(60_000) };
    const pushAt = (group: number) =>
      send(userId, {
        path: deltaPath,
        body: {
          ctas: [
            {
              ctaId: live,
              activeStateMachines: Object.fromEntries(
                Array.from({ length: 16 }, (_, i) => [`${group}-${i}`, machine({ context })]),
              ),
            },
          ],
        },
      });
    for (let group = 0; group < 4; group++) expect((await pushAt(group)).status).toBe(200);
    const before = await stored(userId);
    expect((await pushAt(4)).status).toBe(413);
    expect(await stored(userId)).toEqual(before);
  });
});

describe('clients that are too old', () => {
  test.each<[string, Record<string, string>]>([
    ['no api_version', {}],
    ['0', { api_version: '0' }],
    ['below 0, and everything else wrong', { api_version: '-9', 'auth-userid': 'x', 'x-tenant-id': '?' }],
    ['with a bad token', { authorization: 'Bearer nobody' }],
  ])('%s: the empty answer, whatever else is sent', async (_, headers) => {
    for (const [path, answer] of [
      [launchPath, '{"data":{"ctas":null,"behaviourTags":null}}'],
      [deltaPath, '{"data":false}'],
    ] as const) {
      for (const body of [undefined, '{', JSON.stringify(push())]) {
        const response = await trivet.fetch(path, {
          method: 'POST',
          headers: { 'auth-userid': '5', 'content-type': 'text/plain', ...headers },
          ...(body === undefined ? {} : { body }),
        });
        expect([response.status, await response.text()]).toEqual([200, answer]);
      }
    }
  });

  test('the storage is not touched: the answer comes with the database gone', async () => {
    const gone = await startTestKernel({ clock });
    await gone.kernel.host.db.close();
    const ask = (headers: Record<string, string>) =>
      gone.fetch(launchPath, { method: 'POST', headers: { 'auth-userid': '1', ...headers } });
    expect(await (await ask({})).text()).toBe('{"data":{"ctas":null,"behaviourTags":null}}');
    expect((await ask({ api_version: '1' })).status).toBeGreaterThanOrEqual(500);
    await gone.stop();
  });
});

describe('whose state it is', () => {
  test('users next to each other beyond 2^53 are two', async () => {
    for (const [userId, group] of [
      ['9007199254740992', 'even'],
      ['9007199254740993', 'odd'],
      ['-9223372036854775808', 'least'],
    ] as const) {
      expect((await send(userId, { path: deltaPath, body: push({}, group) })).text).toBe('{"data":true}');
    }
    expect(Object.keys((await stored('9007199254740992'))?.ctas[live]?.machines ?? {})).toEqual(['even']);
    expect(Object.keys((await stored('9007199254740993'))?.ctas[live]?.machines ?? {})).toEqual(['odd']);
    expect(Object.keys((await stored('-9223372036854775808'))?.ctas[live]?.machines ?? {})).toEqual([
      'least',
    ]);
  });

  test('a number written otherwise is the same user', async () => {
    const userId = freshUser();
    await send(`00${userId}`, { path: deltaPath, body: push() });
    expect((await send(userId, {})).text).toBe(withMachine());
  });

  test('a tenant nobody has made has no CTAs and stores nothing', async () => {
    const userId = freshUser();
    const headers = { 'x-tenant-id': 'nobody' };
    expect((await send(userId, { headers, body: push() })).text).toBe(
      '{"data":{"ctas":[],"behaviourTags":[]}}',
    );
    expect((await send(userId, { path: deltaPath, headers, body: push() })).text).toBe('{"data":true}');
    expect(await stored(userId, 'nobody')).toBeNull();
  });

  test('tenants do not see each other', async () => {
    const other = await makeCta({ tenantId: 'other' }, 'LIVE');
    const userId = freshUser();
    await send(userId, { path: deltaPath, body: push() });
    const { text } = await send(userId, { headers: { 'x-tenant-id': 'other' } });
    expect(JSON.parse(text)).toMatchObject({
      data: { ctas: [{ ctaId: other, activeStateMachines: {} }], behaviourTags: [] },
    });
  });

  test('64 deltas of one user at once are all kept', async () => {
    const userId = freshUser();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        send(userId, {
          path: deltaPath,
          body: {
            ctas: [
              {
                ctaId: live,
                activeStateMachines: { [`g${i}`]: machine({ lastTransitionAt: i }) },
                actionDoneAt: [i],
              },
            ],
          },
        }),
      ),
    );
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"data":true}']));
    const state = await stored(userId);
    expect(Object.keys(state?.ctas[live]?.machines ?? {}).length).toBe(64);
    expect(state?.ctas[live]?.actionDoneAt.marks).toEqual(Array.from({ length: 64 }, (_, i) => i));
  });
});

describe('bearer tokens', () => {
  const userOf = (accessToken: string) =>
    String(
      (JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { sub: string })
        .sub,
    );

  test('the own token is accepted, another user’s is 403, and neither is needed', async () => {
    const { accessToken } = await trivet.signIn('ann@example.com');
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await send(userOf(accessToken), { headers, body: {} })).status).toBe(200);
    const before = await allStored();
    for (const path of [launchPath, deltaPath]) {
      const { status, text } = await send('9007199254740992', { path, headers, body: push() });
      expect([status, JSON.parse(text)]).toMatchObject([
        403,
        { error: { code: 'FORBIDDEN', cause: 'auth-userid' } },
      ]);
    }
    expect(await allStored()).toEqual(before);
    expect((await send(userOf(accessToken), { body: {} })).status).toBe(200);
  });

  test('with --cta-require-token nothing is answered without one, but to clients that are too old', async () => {
    const strict = await startTestKernel({ clock, settings: { 'cta-require-token': 'true' } });
    const { accessToken } = await strict.signIn('ann@example.com');
    const ask = (path: string, init: RequestInit) =>
      strict.fetch(path, init).then(async (response) => [response.status, await response.json()]);
    const headers = { 'auth-userid': userOf(accessToken), api_version: '1' };
    const unauthenticated = [401, { error: { code: 'UNAUTHENTICATED' } }];
    expect(await ask(launchPath, { method: 'POST', headers })).toMatchObject(unauthenticated);
    expect(await ask(deltaPath, { method: 'POST', headers })).toMatchObject(unauthenticated);
    expect(await ask('/cta/nudge/preview/x', {})).toMatchObject(unauthenticated);
    expect(await ask(deltaPath, { method: 'POST' })).toEqual([200, { data: false }]);
    const authorization = `Bearer ${accessToken}`;
    expect(await ask(deltaPath, { method: 'POST', headers: { ...headers, authorization } })).toEqual([
      200,
      { data: true },
    ]);
    expect(await ask('/cta/nudge/preview/x', { headers: { authorization } })).toEqual([200, { data: null }]);
    await strict.stop();
  });
});

describe('nudge previews', () => {
  const preview = (id: string, headers: Record<string, string> = {}) =>
    trivet
      .fetch(`/cta/nudge/preview/${id}`, { headers })
      .then(async (response) => [response.status, await response.text()]);

  test('a preview is answered to its tenant until it expires', async () => {
    await call('create-nudge-preview', { id: 'p.1', template: '<b>"Hi"</b>', ttl: 10 });
    const found = [200, '{"data":{"id":"p.1","template":"<b>\\"Hi\\"</b>","tenantId":"default","ttl":10}}'];
    const none = [200, '{"data":null}'];
    expect(await preview('p.1')).toEqual(found);
    expect(await preview('p.1/')).toEqual(found);
    expect(await preview('p%2E1', { 'content-type': 'text/plain' })).toEqual(found);
    expect(await preview('p.1', { 'x-tenant-id': 'other' })).toEqual(none);
    clock.advance(9_999);
    expect(await preview('p.1')).toEqual(found);
    clock.advance(1);
    expect(await preview('p.1')).toEqual(none);
    clock.set(now);
  });

  test('with ttl 0 it stays, and says null', async () => {
    await call('create-nudge-preview', { id: 'stays', template: 't', ttl: 0 });
    clock.advance(1e12);
    expect(await preview('stays')).toEqual([
      200,
      '{"data":{"id":"stays","template":"t","tenantId":"default","ttl":null}}',
    ]);
    clock.set(now);
  });

  test.each(['nobody', '%00', 'a%2Fb', 'x'.repeat(200), '%F0%9F%98%80'])('%s is not there', async (id) => {
    expect(await preview(id)).toEqual([200, '{"data":null}']);
  });

  test('a tenant that cannot be is 400, a bad token 401', async () => {
    expect((await preview('p', { 'x-tenant-id': 'a b' }))[0]).toBe(400);
    expect((await preview('p', { authorization: 'Bearer no' }))[0]).toBe(401);
  });
});

describe('the clock', () => {
  test('a scheduled CTA is answered from its start until its end, without anybody touching it', async () => {
    const tenant = { tenantId: 'timed' };
    const ctaId = await makeCta({ ...tenant, startTime: now + 5000, endTime: now + 9000 }, 'SCHEDULED');
    const shown = async (at: number) => {
      clock.set(at);
      const { text } = await send('1', { headers: { 'x-tenant-id': 'timed' } });
      return (JSON.parse(text) as { data: { ctas: { ctaId: string }[] } }).data.ctas.map((cta) => cta.ctaId);
    };
    expect(await shown(now + 4999)).toEqual([]);
    expect(await shown(now + 5000)).toEqual([ctaId]);
    expect(await shown(now + 8999)).toEqual([ctaId]);
    expect(await shown(now + 9000)).toEqual([]);
    clock.set(now);
  });

  test('app versions, packages and cohorts decide who gets a CTA', async () => {
    const tenantId = 'audience';
    const only = (part: object) => makeCta({ tenantId, rule: { ...rule, ...part } }, 'LIVE');
    const all = await only({ cohortEligibility: { includes: ['all'] } });
    const newApps = await only({ appVersions: { min: '4.10' } });
    const shop = await only({ packageNames: ['com.shop'] });
    await only({ cohortEligibility: { includes: ['gold'] } });
    const shown = async (headers: Record<string, string>) => {
      const { text } = await send('1', { headers: { 'x-tenant-id': tenantId, ...headers } });
      return (JSON.parse(text) as { data: { ctas: { ctaId: string }[] } }).data.ctas.map((cta) => cta.ctaId);
    };
    expect(await shown({})).toEqual([all]);
    expect(await shown({ app_version: '4.9' })).toEqual([all]);
    expect(await shown({ app_version: '4.10.1' })).toEqual([all, newApps]);
    expect(await shown({ package_name: 'com.shop' })).toEqual([all, shop]);
  });
});

test('the three endpoints are in the OpenAPI document with their headers', async () => {
  const { paths } = (await (await trivet.fetch('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>>;
  };
  const parameters = (path: string, method: string) =>
    paths[path]?.[method]?.parameters.map(({ name }) => name);
  const headers = [
    'auth-userid',
    'x-tenant-id',
    'api_version',
    'app_version',
    'hotupdate_version',
    'package_name',
  ];
  expect(parameters(launchPath, 'post')).toEqual(headers);
  expect(parameters(deltaPath, 'post')).toEqual(headers);
  expect(parameters('/cta/nudge/preview/{id}', 'get')).toEqual(['id', 'x-tenant-id']);
});
