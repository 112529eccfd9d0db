import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import {
  answeredIds,
  deltaPath,
  emptyRule,
  freshTenant,
  freshUser,
  machineAt,
  startCtaKernel,
} from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
let tenantId: string;
let userId: string;
let plain: string;
let tagged: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(async () => {
  clock.set(now);
  tenantId = freshTenant();
  userId = freshUser();
  await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'shop' });
  plain = await trivet.makeCta({ tenantId }, 'LIVE');
  const rule = { ...emptyRule, stateMachineTTL: 1000 };
  tagged = await trivet.makeCta({ tenantId, behaviourTagName: 'shop', rule }, 'LIVE');
});

const send = (sent: object = {}) => trivet.send(userId, { headers: { 'x-tenant-id': tenantId }, ...sent });
const shown = async () => answeredIds((await send()).text);
const switchTo = (killed: boolean, fields: object = {}) =>
  trivet.call('set-cta-kill-switch', { tenantId, killed, ...fields });

test('a killed tenant answers no CTAs, and all of them again afterwards', async () => {
  expect(await switchTo(true)).toEqual({ tenantId, behaviourTagName: null, killedAt: now });
  const { status, text } = await send();
  expect([status, JSON.parse(text)]).toMatchObject([200, { data: { ctas: [], behaviourTags: [{}] } }]);
  expect(await trivet.call('get-cta', { ctaId: plain })).toMatchObject({ status: 'LIVE' });
  expect(await switchTo(false)).toEqual({ tenantId, behaviourTagName: null, killedAt: null });
  expect(await shown()).toEqual([plain, tagged]);
});

test('a killed behaviour tag hides its own CTAs alone', async () => {
  expect(await switchTo(true, { behaviourTagName: 'shop' })).toEqual({
    tenantId,
    behaviourTagName: 'shop',
    killedAt: now,
  });
  expect(await shown()).toEqual([plain]);
  expect(await trivet.call('get-behaviour-tag', { tenantId, behaviourTagName: 'shop' })).toMatchObject({
    killedAt: now,
  });
  await switchTo(false, { behaviourTagName: 'shop' });
  expect(await shown()).toEqual([plain, tagged]);
});

test('state is kept as if paused: what is sent is merged, and nothing grows old', async () => {
  const push = (groupKey: string, at: number) => ({
    path: deltaPath,
    body: {
      ctas: [
        { ctaId: tagged, activeStateMachines: { [groupKey]: machineAt(now, { lastTransitionAt: at }) } },
      ],
    },
  });
  await send(push('before', 1));
  await switchTo(true);
  expect((await send(push('during', 2))).text).toBe('{"data":true}');
  clock.set(now + 5000);
  await send();
  expect(Object.keys((await trivet.stored(userId, tenantId))?.ctas[tagged]?.machines ?? {})).toEqual([
    'before',
    'during',
  ]);
  await switchTo(false);
  await send();
  expect((await trivet.stored(userId, tenantId))?.ctas[tagged]?.machines).toEqual({});
});

test('a switch that is on stays on since when it was; both are told', async () => {
  await switchTo(true);
  await switchTo(true, { behaviourTagName: 'shop' });
  clock.set(now + 100);
  expect(await switchTo(true)).toMatchObject({ killedAt: now });
  expect(await trivet.call('get-cta-kill-switches', { tenantId })).toEqual({
    tenantId,
    killedAt: now,
    behaviourTags: [{ behaviourTagName: 'shop', killedAt: now }],
  });
  await switchTo(false);
  expect(await shown()).toEqual([plain]);
});

test('an edit of the tag leaves its switch on', async () => {
  await switchTo(true, { behaviourTagName: 'shop' });
  await trivet.call('update-behaviour-tag', {
    tenantId,
    behaviourTagName: 'shop',
    version: 1,
    exposureRule: { session: { limit: 1 } },
  });
  expect(await shown()).toEqual([plain]);
});

describe('refusals', () => {
  test.each<[string, object, string]>([
    ['a tenant that is not there', { tenantId: 'nobody', killed: true }, 'TENANT_NOT_FOUND'],
    ['a tag that is not there', { behaviourTagName: 'x', killed: true }, 'BEHAVIOUR_TAG_NOT_FOUND'],
    ['neither on nor off', {}, 'INVALID_REQUEST'],
  ])('%s', async (_, fields, code) => {
    expect((await trivet.refusal('set-cta-kill-switch', { tenantId, ...fields }))?.code).toBe(code);
  });

  test.each<[string, object]>([
    // Without the name it would hide all CTAs of the tenant.
    ['set-cta-kill-switch', { killed: true }],
    ['get-behaviour-tag', {}],
    ['update-behaviour-tag', { version: 1, exposureRule: {} }],
    ['delete-behaviour-tag', {}],
  ])('%s with a wrong name of a tag says which tool lists the right ones', async (tool, fields) => {
    const fault = await trivet.refusal(tool, { tenantId, behaviourTagName: 'shpo', ...fields });
    expect(fault?.code).toBe('BEHAVIOUR_TAG_NOT_FOUND');
    expect(fault?.tip).toContain('list-behaviour-tags');
    expect(fault?.tip).not.toContain('leave out');
  });

  test('a reader may look, not switch', async () => {
    const reader = trivet.inOrganizations([1, 'reader']);
    expect((await trivet.refusal('set-cta-kill-switch', { tenantId, killed: true }, reader))?.code).toBe(
      'FORBIDDEN',
    );
    expect(await trivet.refusal('get-cta-kill-switches', { tenantId }, reader)).toBeNull();
  });
});
