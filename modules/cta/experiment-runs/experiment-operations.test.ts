import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { armOf, controlAction } from '../experiments/assignment.ts';
import { bucketOf } from '../rules/cohort.ts';
import { deltaPath, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const epoch = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
let tenantId: string;
beforeEach(() => {
  clock.set(epoch);
  tenantId = freshTenant();
});

const popup = (t: string) => ({ actionId: 'offer', type: 'POPUP' as const, template: { t } });
const rule = {
  stateToAction: { '1': 'offer' },
  resetStates: ['2'],
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  actions: [popup('old')],
};
const experiment = {
  key: 'spring',
  seed: 'spring',
  coverage: 1,
  variants: [
    { key: 'show', weight: 0.5, actions: [popup('new')] },
    { key: 'none', weight: 0.5, control: true },
  ],
};
const armOfUser = (userId: string, coverage = 1) => armOf({ ...experiment, coverage }, userId)?.key ?? null;
const users = Array.from({ length: 40 }, (_, n) => String(n + 1));

interface Entry {
  readonly ctaId: string;
  readonly rule: { readonly actions: readonly object[] };
  readonly variant?: string;
}
const launched = async (userId: string, headers: Record<string, string> = {}): Promise<readonly Entry[]> => {
  const { text } = await trivet.send(userId, { headers: { 'x-tenant-id': tenantId, ...headers } });
  return (JSON.parse(text) as { data: { ctas: Entry[] } }).data.ctas;
};
const stamp = (userId: string, ctaId: string, actionDoneAt: number[], headers = {}) =>
  trivet.send(userId, {
    path: deltaPath,
    headers: { 'x-tenant-id': tenantId, ...headers },
    body: { ctas: [{ ctaId, activeStateMachines: {}, resetAt: [], actionDoneAt }] },
  });
const makeLive = (over: object = {}) => trivet.makeCta({ tenantId, rule, experiment, ...over }, 'LIVE');
const start = (ctaId: string) => trivet.call('start-experiment', { ctaId });

describe('the tools take, return and keep it', () => {
  test('create-cta, get-cta, versions, clone and clear', async () => {
    const made = await trivet.call('create-cta', { tenantId, name: 'c', rule, experiment });
    const { ctaId } = made as { ctaId: string };
    expect(made).toMatchObject({ experiment, experimentStartedAt: null });
    expect(await trivet.call('clone-cta', { ctaId })).toMatchObject({ experiment, version: 1 });
    await trivet.call('update-cta', { ctaId, version: 1, clear: ['experiment'] });
    expect(await trivet.call('get-cta', { ctaId })).toMatchObject({ experiment: null, version: 2 });
    expect(await trivet.call('get-cta', { ctaId, version: 1 })).toMatchObject({ experiment });
    expect(await trivet.call('list-cta-versions', { ctaId })).toMatchObject({
      versions: [{ changed: ['experiment'] }, { changed: [] }],
    });
    expect(await trivet.call('revert-cta', { ctaId, version: 2, toVersion: 1 })).toMatchObject({
      experiment,
    });
  });

  test.each([
    ['weights', { variants: [experiment.variants[0], { key: 'b', weight: 0.4 }] }, 'experiment.variants'],
    [
      'an action that stateToAction lacks',
      { variants: [{ key: 'a', weight: 0.5, actions: [] }, experiment.variants[1]] },
      'experiment.variants[0].actions',
    ],
  ])('refuses %s with the path', async (_, over, cause) => {
    const given = { tenantId, name: 'c', rule, experiment: { ...experiment, ...over } };
    const refused = await trivet.refusal('create-cta', given);
    expect(refused).toMatchObject({ code: 'INVALID_EXPERIMENT' });
    expect(refused?.message).toContain(cause);
  });

  test('a control beside contextParams is refused with the reason', async () => {
    const given = { tenantId, name: 'c', rule: { ...rule, contextParams: ['price'] }, experiment };
    expect((await trivet.refusal('create-cta', given))?.message).toMatch(
      /experiment\.variants\[1\]\.control is not possible with contextParams/,
    );
  });
});

describe('a launch', () => {
  test('sends everybody the CTA as it is before the start and after the stop, and each arm in between', async () => {
    const ctaId = await makeLive();
    expect((await launched('1'))[0]?.rule.actions).toEqual([popup('old')]);
    await start(ctaId);
    for (const user of users) {
      const [entry] = await launched(user);
      const arm = armOfUser(user);
      expect(entry?.variant).toBe(arm ?? undefined);
      expect(entry?.rule.actions).toEqual(arm === 'none' ? [controlAction('offer')] : [popup('new')]);
    }
    expect(await trivet.call('stop-experiment', { ctaId, ship: 'show' })).toMatchObject({
      version: 2,
      shipped: 'show',
    });
    const [entry] = await launched('1');
    expect(entry).not.toHaveProperty('variant');
    expect(entry?.rule.actions).toEqual([popup('new')]);
    expect(await trivet.refusal('start-experiment', { ctaId })).toMatchObject({
      code: 'EXPERIMENT_NOT_RUNNING',
    });
  });

  test('outside of the coverage the CTA is as it is; a coverage that grows in LIVE moves nobody', async () => {
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.3 } });
    await start(ctaId);
    const armsNow = async () => {
      const arms = new Map<string, string | undefined>();
      for (const user of users) arms.set(user, (await launched(user))[0]?.variant);
      return arms;
    };
    const before = await armsNow();
    expect([...before.values()].filter((arm) => arm === undefined).length).toBeGreaterThan(10);
    await trivet.call('update-cta', { ctaId, version: 1, experiment: { ...experiment, coverage: 0.6 } });
    const after = await armsNow();
    for (const [user, arm] of before) if (arm !== undefined) expect(after.get(user)).toBe(arm);
    for (const user of users) expect(after.get(user) ?? null).toBe(armOfUser(user, 0.6));
    expect(await trivet.call('get-cta', { ctaId })).toMatchObject({ status: 'LIVE', version: 2 });
  });

  /** @see Only apps that name the arm themselves were told apart; installed ones do not. */
  test('figures are told apart by arm, also of apps that do not name it', async () => {
    const ctaId = await makeLive();
    await stamp('1', ctaId, [epoch - 5]);
    await start(ctaId);
    clock.advance(10);
    for (const user of users) {
      // What was before the start is in no arm, also if it is told later.
      await stamp(user, ctaId, [epoch - 5, epoch + 5]);
      await trivet.send(user, {
        path: '/cta/events/',
        headers: { 'x-tenant-id': tenantId },
        body: { events: [{ id: `seen ${user}`, type: 'impression', ctaId, at: epoch + 5 }] },
      });
    }
    const figures = async () => {
      const { items } = await trivet.call('get-cta-metrics', { ctaId, breakdown: 'variant' });
      return Object.fromEntries(
        (items as Array<{ variant: string | null; actions: number; impressions: number }>).map(
          ({ variant, actions, impressions }) => [String(variant), [actions, impressions]],
        ),
      );
    };
    const inArm = (arm: string) => users.filter((user) => armOfUser(user) === arm).length;
    const [show, none] = [inArm('show'), inArm('none')];
    expect(await figures()).toEqual({ null: [users.length, 0], show: [show, show], none: [none, none] });
    // Their first exposure was before the start.
    expect(await trivet.call('get-experiment-results', { ctaId })).toMatchObject({ multipleExposures: 0 });
    await trivet.call('stop-experiment', { ctaId });
    await stamp('2', ctaId, [epoch - 5, epoch + 5, epoch + 6]);
    expect((await figures())['null']).toEqual([users.length + 1, 0]);
  });

  test('while it runs the rest is frozen, in PAUSED too', async () => {
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.5 } });
    await start(ctaId);
    await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
    const refusedCode = async (change: object) =>
      (await trivet.refusal('update-cta', { ctaId, version: 1, ...change }))?.code;
    for (const over of [{ coverage: 0.4 }, { seed: 'x' }, { key: 'x' }, { variants: experiment.variants }]) {
      const changed = { ...experiment, coverage: 0.5, ...over };
      if ('variants' in over) changed.variants = [...experiment.variants].reverse();
      expect(await refusedCode({ experiment: changed })).toBe('EXPERIMENT_RUNNING');
    }
    expect(await refusedCode({ clear: ['experiment'] })).toBe('EXPERIMENT_RUNNING');
    expect(await refusedCode({ experiment: { ...experiment, coverage: 0.9 } })).toBeUndefined();
    await trivet.call('stop-experiment', { ctaId });
    const other = { ...experiment, seed: 'summer' };
    expect(await trivet.call('update-cta', { ctaId, version: 2, experiment: other })).toMatchObject({
      experimentStartedAt: null,
      experimentStoppedAt: null,
    });
  });

  test('nothing but the coverage may change in LIVE, and a member may not change that', async () => {
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.5 } });
    const grown = { ctaId, version: 1, experiment: { ...experiment, coverage: 0.6 } };
    expect(await trivet.refusal('update-cta', { ...grown, name: 'x' })).toMatchObject({
      code: 'CTA_NOT_EDITABLE',
    });
    const member = trivet.inOrganizations([1, 'member']);
    expect(await trivet.refusal('update-cta', grown, member)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await trivet.refusal('start-experiment', { ctaId }, member)).toMatchObject({ code: 'FORBIDDEN' });
    // Pausing it, which the other refusal proposes, would not help.
    await start(ctaId);
    const shrunk = { ctaId, version: 1, experiment: { ...experiment, coverage: 0.4 } };
    expect(await trivet.refusal('update-cta', shrunk)).toMatchObject({ code: 'EXPERIMENT_RUNNING' });
  });

  /** @see Both were refused as changes: tools that keep CTAs as files write members in an order of their own. */
  test('a rule whose members are in another order is the same one', async () => {
    const variants = [{ key: 'show', weight: 0.5 }, ...experiment.variants.slice(1)];
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.5, variants } });
    await start(ctaId);
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).toReversed());
    const same = { ...reversed(rule), actions: rule.actions.map(reversed) };
    const grown = { ...experiment, coverage: 0.6, variants };
    await trivet.call('update-cta', { ctaId, version: 1, rule: same, experiment: grown });
    await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
    expect(await trivet.call('update-cta', { ctaId, version: 2, rule, name: 'renamed' })).toMatchObject({
      name: 'renamed',
    });
  });

  test('under one behaviour tag a single experiment runs', async () => {
    await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 't' });
    const [first, second] = [
      await makeLive({ behaviourTagName: 't' }),
      await makeLive({ behaviourTagName: 't' }),
    ];
    await start(first);
    expect(await trivet.refusal('start-experiment', { ctaId: second })).toMatchObject({
      code: 'EXPERIMENT_OVERLAPS',
    });
    await trivet.call('stop-experiment', { ctaId: first });
    await start(second);
  });
});

describe('holdouts', () => {
  const isHeld = (user: string) => bucketOf('hold', user) < 2_000;

  test('of the tenant: its users get no CTA, and explain-cta says so', async () => {
    await makeLive();
    await trivet.call('create-holdout', { tenantId, name: 'h', percentage: 20, seed: 'hold' });
    for (const user of users) expect((await launched(user)).length).toBe(isHeld(user) ? 0 : 1);
    const held = users.find(isHeld);
    expect(await trivet.call('explain-cta', { tenantId, userId: held })).toMatchObject({
      ctas: [{ answered: false, gate: 'holdout' }],
    });
    await trivet.call('delete-holdout', { tenantId, name: 'h' });
    expect(await launched(held ?? '')).toHaveLength(1);
  });

  test('named: only the CTA whose experiment names it, while it runs', async () => {
    const named = { ...experiment, holdout: 'h' };
    expect(
      await trivet.refusal('create-cta', { tenantId, name: 'c', rule, experiment: named }),
    ).toMatchObject({
      code: 'HOLDOUT_NOT_FOUND',
    });
    await makeLive({ experiment: undefined });
    const held = { tenantId, name: 'h', percentage: 20, seed: 'hold', scope: 'named' };
    await trivet.call('create-holdout', held);
    const ctaId = await makeLive({ experiment: named });
    const user = users.find(isHeld) ?? '';
    expect(await launched(user)).toHaveLength(2);
    await start(ctaId);
    expect((await launched(user)).map((entry) => entry.ctaId)).not.toContain(ctaId);
    expect(await trivet.refusal('delete-holdout', { tenantId, name: 'h' })).toMatchObject({
      code: 'HOLDOUT_IN_USE',
    });
  });

  /** @see It started without anybody in the holdout that it names. */
  test('named and deleted since: the experiment does not start', async () => {
    await trivet.call('create-tenant', { tenantId });
    const held = { tenantId, name: 'h', percentage: 20, seed: 'hold', scope: 'named' };
    await trivet.call('create-holdout', held);
    const ctaId = await makeLive({ experiment: { ...experiment, holdout: 'h' } });
    await trivet.call('delete-holdout', { tenantId, name: 'h' });
    expect(await trivet.refusal('start-experiment', { ctaId })).toMatchObject({ code: 'HOLDOUT_NOT_FOUND' });
    // A copy was refused as well, so an ended CTA could not be used again.
    const copy = await trivet.call('clone-cta', { ctaId });
    expect(copy).toMatchObject({ experiment, warnings: [{ path: 'experiment.holdout' }] });
    expect(copy['experiment']).not.toHaveProperty('holdout');
  });

  /** @see 0.001 made a holdout of nobody. */
  test.each([21, 0.001, 5.555])('%p percent is refused', async (percentage) => {
    await trivet.call('create-tenant', { tenantId });
    const given = { tenantId, name: 'h', percentage, seed: 's' };
    expect(await trivet.refusal('create-holdout', given)).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('limits across all CTAs', () => {
  const gateOf = async (userId: string, over: object = {}) =>
    (await trivet.call('explain-cta', { tenantId, userId, ...over }))['ctas'];
  const limit = (global: object) => trivet.call('set-delivery-limits', { tenantId, global });

  test('a gap and a number per day, over all CTAs', async () => {
    const [first] = [await makeLive({ experiment: undefined }), await makeLive({ experiment: undefined })];
    const now = clock.now();
    await stamp('7', first, [now - 10_000]);
    expect(await launched('7')).toHaveLength(2);
    await limit({ minGapSeconds: 30 });
    expect(await launched('7')).toHaveLength(0);
    expect(await gateOf('7')).toMatchObject([{ gate: 'delivery.min_gap' }, { gate: 'delivery.min_gap' }]);
    clock.advance(20_000);
    expect(await launched('7')).toHaveLength(2);
    await limit({ perDay: 1 });
    expect(await launched('7')).toHaveLength(0);
    expect(await gateOf('7')).toMatchObject([{ gate: 'delivery.per_day' }, {}]);
    clock.advance(24 * 3_600_000);
    expect(await launched('7')).toHaveLength(2);
    expect(await trivet.call('get-delivery-limits', { tenantId })).toMatchObject({ global: { perDay: 1 } });
    await trivet.call('set-delivery-limits', { tenantId });
    expect(await trivet.call('get-delivery-limits', { tenantId })).toMatchObject({ global: null });
  });

  test('count the actions of a CTA that ends, until they are past', async () => {
    const [first] = [await makeLive({ experiment: undefined }), await makeLive({ experiment: undefined })];
    await limit({ minGapSeconds: 3_600, perDay: 1 });
    await stamp('7', first, [clock.now()]);
    await trivet.call('set-cta-status', { ctaId: first, status: 'CONCLUDED' });
    expect(await launched('7')).toHaveLength(0);
    expect(await gateOf('7')).toMatchObject([{}, { gate: 'delivery.min_gap' }]);
    clock.advance(3_600_000);
    expect(await gateOf('7')).toMatchObject([{}, { gate: 'delivery.per_day' }]);
    expect(await launched('7')).toHaveLength(0);
    clock.advance(23 * 3_600_000);
    expect(await launched('7')).toHaveLength(1);
  });

  test('quiet hours are in the zone of the user', async () => {
    await makeLive({ experiment: undefined });
    clock.set(Date.UTC(2026, 5, 1, 21, 30));
    await limit({ quietHours: { from: '23:00', to: '07:00', timeZone: 'UTC' } });
    expect(await launched('7')).toHaveLength(1);
    expect(await launched('7', { tz: 'Europe/Rome' })).toHaveLength(0);
    expect(await launched('7', { tz: 'nowhere' })).toHaveLength(1);
    expect(await gateOf('7', { timeZone: 'Europe/Rome' })).toMatchObject([{ gate: 'delivery.quiet_hours' }]);
    const simulated = async (over: object) =>
      (await trivet.call('simulate-cta', { tenantId, userId: '7', steps: [{ event: 'e' }], ...over }))[
        'ctaIds'
      ];
    expect(await simulated({})).toHaveLength(1);
    expect(await simulated({ timeZone: 'Europe/Rome' })).toEqual([]);
    expect(await simulated({ timeZone: 'nowhere' })).toHaveLength(1);
    const wrong = { quietHours: { from: '23:00', to: '07:00', timeZone: 'Mars' } };
    expect(await trivet.refusal('set-delivery-limits', { tenantId, global: wrong })).toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });
});

describe('results', () => {
  test('users by the arm of their first exposure since the start', async () => {
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.5 } });
    await stamp('1', ctaId, [clock.now()]);
    clock.advance(1_000);
    await start(ctaId);
    clock.advance(1_000);
    for (const user of users) await stamp(user, ctaId, [clock.now()]);
    clock.advance(1_000);
    await trivet.call('update-cta', { ctaId, version: 1, experiment });
    clock.advance(1_000);
    // Those who come in later saw the CTA as it is.
    for (const user of users) await stamp(user, ctaId, [clock.now()]);
    const results = await trivet.call('get-experiment-results', { ctaId });
    const count = (key: string) =>
      users.filter((user) => user !== '1' && armOfUser(user, 0.5) === key).length;
    expect(results).toMatchObject({
      arms: [
        { key: 'show', users: count('show'), conversions: 0, rate: 0, difference: 0, lift: null, p: 1 },
        { key: 'none', users: count('none'), difference: null, lift: null, interval: null, p: null },
      ],
      enough: false,
      multipleExposures: 0,
      srm: { warning: false },
      sampleSize: null,
    });
  });

  /** @see Only the first of a user was looked at, and of reported ones only those that name the CTA. */
  test.each([
    ['in a state, once before the exposure', 'arrival', true],
    ['reported, once before the exposure', 'named', true],
    ['reported without a CTA', 'unnamed', false],
  ] as const)('a conversion %s', async (_, kind, isTwice) => {
    const ctaId = await makeLive();
    if (kind === 'arrival') await trivet.call('define-cta-goal', { ctaId, name: 'g', on: { state: '2' } });
    const converts = async (id: string) => {
      const at = clock.now();
      if (kind === 'arrival') {
        const machine = { currentState: '2', lastTransitionAt: at, createdAt: at, reset: true };
        const cta = { ctaId, activeStateMachines: { [id]: machine }, resetAt: [at] };
        await trivet.send('1', {
          path: deltaPath,
          headers: { 'x-tenant-id': tenantId },
          body: { ctas: [cta] },
        });
        return;
      }
      const event = { id, type: 'conversion', at, ...(kind === 'named' && { ctaId }) };
      await trivet.send('1', {
        path: '/cta/events/',
        headers: { 'x-tenant-id': tenantId },
        body: { events: [event] },
      });
    };
    if (isTwice) await converts('before');
    clock.advance(1_000);
    await start(ctaId);
    clock.advance(1_000);
    await stamp('1', ctaId, [clock.now()]);
    clock.advance(1_000);
    await converts('after');
    const { arms } = await trivet.call('get-experiment-results', { ctaId });
    expect(arms).toContainEqual(
      expect.objectContaining({ key: armOfUser('1'), users: 1, conversions: 1 }) as object,
    );
  });

  /** @see revert-cta, with which one goes back after shipping, made it another experiment: no results, and it could start again. */
  test('stay when a stopped experiment gets back its earlier coverage', async () => {
    const ctaId = await makeLive({ experiment: { ...experiment, coverage: 0.5 } });
    await start(ctaId);
    await trivet.call('update-cta', { ctaId, version: 1, experiment });
    clock.advance(1_000);
    for (const user of users) await stamp(user, ctaId, [clock.now()]);
    clock.advance(1_000);
    await trivet.call('stop-experiment', { ctaId, ship: 'show' });
    const before = await trivet.call('get-experiment-results', { ctaId });
    await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
    await trivet.call('revert-cta', { ctaId, version: 3, toVersion: 1 });
    expect(await trivet.call('get-experiment-results', { ctaId })).toEqual(before);
    expect(await trivet.refusal('start-experiment', { ctaId })).toMatchObject({
      code: 'EXPERIMENT_NOT_RUNNING',
    });
  });

  test('a CTA without experiment has none', async () => {
    const ctaId = await makeLive({ experiment: undefined });
    expect(await trivet.refusal('get-experiment-results', { ctaId })).toMatchObject({
      code: 'EXPERIMENT_NOT_RUNNING',
    });
  });
});
