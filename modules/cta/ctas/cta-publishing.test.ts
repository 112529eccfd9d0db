import { afterAll, describe, expect, test } from 'bun:test';
import { mayUse, type Actor } from '../../../core/base/actor.ts';
import { stillClock } from '../../../test/kernel.ts';
import { startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const trivet = await startCtaKernel(clock);
const admin: Actor = trivet.owner;
// A member who is not the owner that created the records of this file.
const other = { ...trivet.inOrganizations([1, 'member']), userId: 999 };
const member: Actor = other;
const granted: Actor = { ...other, via: 'token', grants: ['cta:publish'] };
const grantedReader: Actor = { ...granted, roles: new Map([[1, 'reader']]) };
const limitedAdmin: Actor = { ...admin, via: 'token', grants: [] };
afterAll(() => trivet.stop());

let made = 0;
const name = () => `p${++made}`;
const later = () => ({ startTime: clock.now() + 60_000 });
const cta = async (fields: object, ...statuses: string[]) => ({
  ctaId: await trivet.makeCta(fields, ...statuses),
});
const move = async (status: string, fields: object, ...statuses: string[]) => ({
  ...(await cta(fields, ...statuses)),
  status,
});
const behaviourTag = async () => {
  const { behaviourTagName } = await trivet.call('create-behaviour-tag', { behaviourTagName: name() });
  return { behaviourTagName };
};

const cohort = async () => {
  const { cohortName } = await trivet.call('create-cohort', { cohortName: name(), kind: 'list' });
  return { cohortName };
};

const preview = async (actor: Actor) => {
  const { id } = await trivet.call('create-nudge-preview', { template: 't' }, actor);
  return { id };
};

type Case = readonly [what: string, tool: string, input: () => Promise<object>];

describe('what apps get at once, or what cannot be taken back', () => {
  const cases: readonly Case[] = [
    ['LIVE', 'set-cta-status', () => move('LIVE', {})],
    ['SCHEDULED, which becomes LIVE by itself', 'set-cta-status', () => move('SCHEDULED', later())],
    ['LIVE again', 'set-cta-status', () => move('LIVE', {}, 'LIVE', 'PAUSED')],
    ['away from LIVE', 'set-cta-status', () => move('PAUSED', {}, 'LIVE')],
    ['back from SCHEDULED', 'set-cta-status', () => move('DRAFT', later(), 'SCHEDULED')],
    ['the end', 'set-cta-status', () => move('CONCLUDED', {}, 'LIVE')],
    ['the end of a PAUSED one', 'set-cta-status', () => move('TERMINATED', {}, 'LIVE', 'PAUSED')],
    ['the kill switch', 'set-cta-kill-switch', () => Promise.resolve({ killed: true })],
    [
      'the kill switch of a tag',
      'set-cta-kill-switch',
      async () => ({ killed: true, ...(await behaviourTag()) }),
    ],
    ['the end of the kill switch', 'set-cta-kill-switch', () => Promise.resolve({ killed: false })],
    ['a cohort that goes', 'delete-cohort', cohort],
    ['a behaviour tag that goes', 'delete-behaviour-tag', behaviourTag],
    [
      "somebody else's preview that shows something else",
      'update-nudge-preview',
      async () => ({ ...(await preview(admin)), template: 'u' }),
    ],
    ["somebody else's preview that goes", 'delete-nudge-preview', () => preview(admin)],
  ];

  test.each(cases)('is not for members: %s', async (_what, tool, input) => {
    const given = await input();
    for (const actor of [member, grantedReader]) {
      const refusal = await trivet.refusal(tool, given, actor);
      expect(refusal).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    }
    expect((await trivet.refusal(tool, given, member))?.message).toContain('the scope "cta:publish"');
    await trivet.call(tool, given, granted);
  });

  test.each(cases)(
    'is for administrators, whatever grants their token has: %s',
    async (_what, tool, input) => {
      await trivet.call(tool, await input(), limitedAdmin);
    },
  );
});

describe('what members do', () => {
  test.each<Case>([
    [
      'draft',
      'create-cta',
      () => Promise.resolve({ name: name(), rule: { stateToAction: {}, stateTransition: {}, actions: [] } }),
    ],
    ['edit', 'update-cta', async () => ({ ...(await cta({})), version: 1, name: name() })],
    [
      'edit what is paused',
      'update-cta',
      async () => ({ ...(await cta({}, 'LIVE', 'PAUSED')), version: 1, name: name() }),
    ],
    ['copy', 'clone-cta', () => cta({}, 'LIVE')],
    ['give up a draft', 'set-cta-status', () => move('TERMINATED', {})],
    ['make a cohort', 'create-cohort', () => Promise.resolve({ cohortName: name(), kind: 'list' })],
    ['preview', 'create-nudge-preview', () => Promise.resolve({ template: 't' })],
    [
      'edit their own preview',
      'update-nudge-preview',
      async () => ({ ...(await preview(member)), template: 'u' }),
    ],
    ['end their own preview', 'delete-nudge-preview', () => preview(member)],
  ])('%s', async (_what, tool, input) => {
    await trivet.call(tool, await input(), member);
  });

  test('are offered what they may use', () => {
    const offered = (actor: Actor) =>
      [
        'set-cta-kill-switch',
        'delete-cohort',
        'delete-behaviour-tag',
        'create-tenant',
        'purge-cta-user',
      ].filter((tool) => {
        const operation = trivet.kernel.operations.get(tool);
        return operation !== undefined && mayUse(actor, operation);
      });
    expect(offered(member)).toEqual([]);
    expect(offered(granted)).toEqual(['set-cta-kill-switch', 'delete-cohort', 'delete-behaviour-tag']);
    expect(offered(admin)).toHaveLength(5);
  });
});
