import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { bucketOf } from '../rules/cohort.ts';
import { deltaPath, freshTenant, freshUser, machineAt, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
let tenantId: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(() => {
  clock.set(now);
  tenantId = freshTenant();
});

const rule = {
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  contextParams: ['price'],
  stateTransition: {
    opened: {
      '0': [
        {
          transitionTo: '1',
          filters: {
            operator: 'AND',
            filter: [
              { propertyName: 'price', propertyType: 'number', comparisonType: '>', comparisonValue: 10 },
            ],
          },
        },
      ],
    },
    closed: { '1': [{ transitionTo: '2' }] },
  },
  frequency: { session: { limit: 1 } },
  actions: [{ actionId: 'a', type: 'POPUP', template: {}, config: { triggerDelay: 300 } }],
};

const simulate = (fields: object) => trivet.call('simulate-cta', { tenantId, ...fields });
const opened = (price: number, more: object = {}) => ({ event: 'opened', properties: { price }, ...more });
const kinds = (answer: Record<string, unknown>) =>
  (answer['steps'] as { outcomes: { kind: string; hold?: string }[] }[]).map(({ outcomes }) =>
    outcomes.map(({ kind, hold }) => hold ?? kind).join(' '),
  );

test('a draft, step by step: transitions, actions, resets, and what frequency holds back', async () => {
  const ctaId = await trivet.makeCta({ tenantId, rule });
  const before = await trivet.rowCounts();
  const answer = await simulate({
    ctaIds: [ctaId],
    steps: [
      opened(5),
      opened(20),
      { event: 'closed' },
      opened(20),
      { kind: 'session', at: now + 60_000 },
      opened(30),
      { kind: 'action-done', ctaId },
    ],
  });
  const zero = { session: 0, window: 0, lifespan: 0 };
  const at = { ctaId, groupKey: ctaId };
  expect(answer).toEqual({
    ctaIds: [ctaId],
    steps: [
      { kind: 'event', at: now, outcomes: [{ kind: 'started', ...at, state: '0' }] },
      {
        kind: 'event',
        at: now + 1000,
        outcomes: [
          { kind: 'transition', ...at, from: '0', to: '1', started: false },
          { kind: 'action', ...at, actionId: 'a', type: 'POPUP', triggerDelay: 300, counts: zero },
        ],
      },
      {
        kind: 'event',
        at: now + 2000,
        outcomes: [
          { kind: 'transition', ...at, from: '1', to: '2', started: false },
          { kind: 'reset', ...at, state: '2' },
        ],
      },
      {
        kind: 'event',
        at: now + 3000,
        outcomes: [
          { kind: 'held', ...at, hold: 'frequency.session', counts: { ...zero, session: 1, lifespan: 1 } },
        ],
      },
      { kind: 'session', at: now + 60_000, outcomes: [] },
      {
        kind: 'event',
        at: now + 61_000,
        outcomes: [
          { kind: 'transition', ...at, from: '0', to: '1', started: true },
          {
            kind: 'action',
            ...at,
            actionId: 'a',
            type: 'POPUP',
            triggerDelay: 300,
            counts: { ...zero, lifespan: 1 },
          },
        ],
      },
      { kind: 'action-done', at: now + 62_000, outcomes: [] },
    ],
    ctas: [
      {
        ctaId,
        activeStateMachines: {
          [ctaId]: {
            currentState: '1',
            lastTransitionAt: now + 61_000,
            createdAt: now + 61_000,
            context: { price: 30 },
          },
        },
        resetAt: [now + 2000],
        actionDoneAt: [now + 1000, now + 61_000, now + 62_000],
      },
    ],
  });
  expect(await trivet.rowCounts()).toEqual(before);
});

describe('without ctaIds: what a launch would answer', () => {
  test('by app, cohort and time, as it changes from session to session', async () => {
    await trivet.call('create-cohort', { tenantId, cohortName: 'gold', kind: 'list', userIds: ['7'] });
    const all = await trivet.makeCta({ tenantId, rule, endTime: now + 50_000 }, 'LIVE');
    const gold = await trivet.makeCta(
      { tenantId, rule: { ...rule, priority: -1, cohortEligibility: { includes: ['gold'] } } },
      'LIVE',
    );
    await trivet.makeCta({ tenantId, rule: { ...rule, packageNames: ['com.x'] } }, 'LIVE');
    await trivet.makeCta({ tenantId, rule });
    const steps = [{ kind: 'session' }, opened(20), { kind: 'session', at: now + 50_000 }, opened(20)];
    const anonymous = await simulate({ steps });
    expect(anonymous['ctaIds']).toEqual([all]);
    expect(kinds(anonymous)).toEqual(['', 'transition action', '', '']);
    expect((await simulate({ userId: '7', steps }))['ctaIds']).toEqual([gold, all]);
    expect((await simulate({ userId: '8', steps }))['ctaIds']).toEqual([all]);
  });

  test('a user begins with the stored state, without what a launch would drop', async () => {
    const userId = freshUser();
    const ctaId = await trivet.makeCta({ tenantId, rule: { ...rule, stateMachineTTL: 10_000 } }, 'LIVE');
    await trivet.send(userId, {
      path: deltaPath,
      headers: { 'x-tenant-id': tenantId },
      body: { ctas: [{ ctaId, activeStateMachines: { [ctaId]: machineAt(now) } }] },
    });
    expect(kinds(await simulate({ userId, steps: [{ event: 'closed' }] }))).toEqual(['transition reset']);
    expect(kinds(await simulate({ userId, steps: [{ event: 'closed', at: now + 20_000 }] }))).toEqual([
      'started',
    ]);
    expect(kinds(await simulate({ steps: [{ event: 'closed' }] }))).toEqual(['started']);
  });
});

/** @see It played what a user of a holdout, of a control or at a limit across all CTAs does not get. */
describe('a user gets what a launch sends', () => {
  const steps = [{ event: 'opened' }, { kind: 'session', at: now + 2_000 }];
  const simple = {
    stateToAction: { '1': 'a' },
    stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
    actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
  };

  test('also the arm of an experiment', async () => {
    const variants = [
      { key: 'show', weight: 0.5 },
      { key: 'none', weight: 0.5, control: true },
    ];
    const experiment = { key: 'e', seed: 'e', coverage: 1, variants };
    const ctaId = await trivet.makeCta({ tenantId, rule: simple, experiment }, 'LIVE');
    await trivet.call('start-experiment', { ctaId });
    const types = new Set<string>();
    for (const userId of ['1', '2', '3', '4', '5', '6']) {
      const { text } = await trivet.send(userId, { headers: { 'x-tenant-id': tenantId } });
      const sent = (JSON.parse(text) as { data: { ctas: Array<{ rule: typeof simple }> } }).data.ctas;
      const type = String(sent[0]?.rule.actions[0]?.type);
      expect(await simulate({ userId, steps })).toMatchObject({
        steps: [{ outcomes: [{}, { kind: 'action', type }] }, {}],
      });
      types.add(type);
    }
    expect([...types].sort()).toEqual(['NUDGE_ACTION', 'POPUP']);
  });

  test('none in a holdout', async () => {
    await trivet.makeCta({ tenantId, rule: simple }, 'LIVE');
    await trivet.call('create-holdout', { tenantId, name: 'h', percentage: 20, seed: 'h' });
    const userId = Array.from({ length: 99 }, (_, n) => String(n)).find((id) => bucketOf('h', id) < 2_000);
    expect(await simulate({ userId, steps })).toMatchObject({ ctaIds: [] });
    expect(await simulate({ steps })).toMatchObject({ ctaIds: [expect.any(String)] });
  });

  test('none at a limit across all CTAs, which counts what is simulated', async () => {
    const first = await trivet.makeCta({ tenantId, rule: simple }, 'LIVE');
    const second = await trivet.makeCta({ tenantId, rule: { ...simple, priority: 1 } }, 'LIVE');
    const opened = [...steps, { event: 'opened', at: now + 3_000 }];
    const userId = freshUser();
    expect(kinds(await simulate({ userId, steps: opened })).at(-1)).toBe('transition action');
    await trivet.call('set-delivery-limits', { tenantId, global: { minGapSeconds: 60 } });
    const limited = await simulate({ userId, steps: opened });
    expect(kinds(limited).at(-1)).toBe('');
    // The first step had them.
    expect(limited['ctaIds']).toEqual([first, second]);
  });
});

test('behaviour tags and priority, as apps follow them', async () => {
  const relation = { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } };
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'one', ctaRelation: relation });
  const tagged = { tenantId, behaviourTagName: 'one' };
  const second = await trivet.makeCta({ ...tagged, rule: { ...rule, priority: 2 } });
  const first = await trivet.makeCta({ ...tagged, rule: { ...rule, priority: 1 } });
  const answer = await simulate({ ctaIds: [second, first], steps: [opened(20)] });
  expect(answer['ctaIds']).toEqual([first, second]);
  expect(kinds(answer)).toEqual(['transition action relation']);
});

test('the first launch of an installed app', async () => {
  const ctaId = await trivet.makeCta({ tenantId, rule: { ...rule, resetCTAonFirstLaunch: true } });
  const steps = [opened(20), { event: 'closed' }, { kind: 'first-launch' }, opened(20)];
  expect(kinds(await simulate({ ctaIds: [ctaId], steps }))).toEqual([
    'transition action',
    'transition reset',
    '',
    'transition action',
  ]);
});

describe('refusals', () => {
  test.each<[string, object[], string]>([
    ['an event without a name', [{ kind: 'event' }], 'steps[0]'],
    ['an action done of nobody', [{ kind: 'action-done' }], 'steps[0]'],
    [
      'time that runs backwards',
      [
        { event: 'a', at: 5 },
        { event: 'b', at: 4 },
      ],
      'steps[1]',
    ],
    ['an unknown kind', [{ kind: 'sleep' }], 'steps[0].kind'],
    ['no steps', [], 'steps'],
  ])('%s', async (_, steps, place) => {
    await trivet.makeCta({ tenantId });
    const fault = await trivet.refusal('simulate-cta', { tenantId, steps });
    expect(fault?.code).toBe('INVALID_REQUEST');
    expect(fault?.message).toContain(place);
  });

  test('a CTA of another tenant', async () => {
    await trivet.makeCta({ tenantId });
    const elsewhere = await trivet.makeCta({ tenantId: freshTenant() });
    for (const ctaId of [elsewhere, '999999']) {
      const steps = [{ kind: 'session' }];
      expect((await trivet.refusal('simulate-cta', { tenantId, ctaIds: [ctaId], steps }))?.code).toBe(
        'CTA_NOT_FOUND',
      );
    }
  });
});
