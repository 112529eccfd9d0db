import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { eventsPath, freshUser, startCtaKernel } from '../testing/cta-kernel.ts';
import { twoArms } from '../testing/sound-rule.ts';

/* Filters of a goal, on what an app said with an event. */
const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
const day = 86_400_000;

const leaf = (over: object = {}) => ({
  propertyName: 'value',
  propertyType: 'number',
  comparisonType: '>',
  comparisonValue: 3,
  ...over,
});
const filters = (...parts: object[]) => ({ operator: 'AND', filter: parts });

/** @see get-cta-metrics took the time at which the goal was defined, get-experiment-results that of the event. */
test('$.currentTime is the time of the event, in figures as in results', async () => {
  const ctaId = await trivet.makeCta({ experiment: twoArms }, 'LIVE');
  await trivet.call('start-experiment', { ctaId });
  clock.advance(1_000);
  const [isOld, isNew] = [freshUser(), freshUser()];
  const installedAt = clock.now() + 3 * day;
  for (const user of [isOld, isNew])
    await trivet.send(user, { path: eventsPath, body: { events: [{ id: 'i', type: 'impression', ctaId }] } });
  clock.advance(4 * day);
  const bought = (value: number) => ({ id: 'b', type: 'custom', ctaId, name: 'bought', value });
  await trivet.send(isOld, { path: eventsPath, body: { events: [bought(installedAt - 10 * day)] } });
  await trivet.send(isNew, { path: eventsPath, body: { events: [bought(installedAt)] } });
  clock.advance(60 * day);
  // Who installed the app at most two days before.
  const twoDaysBefore = { operator: '-', operand1: '$.currentTime', operand2: 2 * day };
  const on = { event: 'bought', filters: filters(leaf({ functions: twoDaysBefore })) };
  await trivet.call('define-cta-goal', { ctaId, name: 'new', on });
  const { arms } = await trivet.call('get-experiment-results', { ctaId, goal: 'new' });
  const conversions = (arms as Array<{ conversions: number }>).reduce((sum, arm) => sum + arm.conversions, 0);
  expect(conversions).toBe(1);
  expect((await trivet.call('get-cta-metrics', { ctaId }))['goals']).toEqual([
    { name: 'new', conversions: 1 },
  ]);
});

/** @see Events have six properties. With any other one a goal was saved, and nobody ever reached it. */
test.each([
  ['a property', filters(leaf({ propertyName: 'amount' })), 'on.filters.filter[0].propertyName'],
  [
    'a property in a group',
    filters(leaf(), { operator: 'OR', filter: [leaf(), leaf({ propertyName: '__proto__' })] }),
    'on.filters.filter[1].filter[1].propertyName',
  ],
  [
    'an operand',
    filters(leaf({ functions: { operator: '+', operand1: 1, operand2: '$.amount' } })),
    'on.filters.filter[0].functions.operand2',
  ],
])('%s that no event has is refused', async (_, given, path) => {
  const ctaId = await trivet.makeCta({});
  const on = { event: 'bought', filters: given };
  const refused = await trivet.refusal('define-cta-goal', { ctaId, name: 'never', on });
  expect(refused?.code).toBe('INVALID_REQUEST');
  expect(refused?.message).toStartWith(
    `${path} must name one of value, element, reason, state, actionId, groupKey`,
  );
});

test.each(['value', 'element', 'reason', 'state', 'actionId', 'groupKey'])(
  '%s is one',
  async (propertyName) => {
    const ctaId = await trivet.makeCta({});
    const on = { event: 'bought', filters: filters(leaf({ propertyName })) };
    expect(await trivet.refusal('define-cta-goal', { ctaId, name: 'possible', on })).toBeNull();
  },
);
