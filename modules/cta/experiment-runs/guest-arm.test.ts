import { afterAll, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { stillClock } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../../auth/providers/dev-provider.ts';
import { armOf } from '../experiments/assignment.ts';
import { deltaPath, startCtaKernel } from '../testing/cta-kernel.ts';

/* A guest who turns out to be a user keeps the arm that was shown first, and who was shown two is left out. */
const clock = stillClock();
const trivet = await startCtaKernel(clock, { guests: 'true', 'rate-guest': '0' });
afterAll(() => trivet.stop());

const rule = {
  stateToAction: { '1': 'offer' },
  resetStates: ['2'],
  stateTransition: { open: { '0': [{ transitionTo: '1' }] }, close: { '1': [{ transitionTo: '2' }] } },
  actions: [{ actionId: 'offer', type: 'POPUP' as const, template: { t: 'old' } }],
};
const experiment = {
  key: 'guests',
  seed: 'guests',
  coverage: 1,
  variants: [
    { key: 'show', weight: 0.5 },
    { key: 'none', weight: 0.5, control: true },
  ],
};
const armOfId = (userId: string) => armOf(experiment, userId)?.key;
const ctaId = await trivet.makeCta({ rule, experiment }, 'LIVE');
await trivet.call('start-experiment', { ctaId });

let people = 0;
/** A guest and a user whose ids have different arms. */
async function pair() {
  for (;;) {
    const email = `arm-${++people}@example.org`;
    const guest = await trivet.post('/v1/auth/guest', { resources: [] });
    const guestToken = String(guest.body['accessToken']);
    const person = await trivet.signIn(email);
    const ids = [guestToken, person.accessToken].map((token) => String(decodeJwt(String(token)).sub));
    const [guestId = '', userId = ''] = ids;
    if (armOfId(guestId) === armOfId(userId)) continue;
    const switched = async () => {
      const identifier = await mintDevIdToken(trivet.kernel.host, email);
      const body = { idProvider: 'dev', identifier, onConflict: 'switch' };
      expect((await trivet.post('/v1/auth/link', body, guestToken)).status).toBe(200);
    };
    return { guestId, userId, switched };
  }
}

async function acts(userId: string): Promise<void> {
  clock.advance(1_000);
  const cta = { ctaId, activeStateMachines: {}, resetAt: [], actionDoneAt: [clock.now()] };
  expect((await trivet.send(userId, { path: deltaPath, body: { ctas: [cta] } })).status).toBe(200);
}
async function sees(userId: string, type = 'impression'): Promise<void> {
  const events = [{ id: `${type[0]}${userId}`, type, ctaId, at: clock.now() }];
  const answer = await trivet.send(userId, { path: '/cta/events/', body: { events } });
  expect(JSON.parse(answer.text)).toEqual({ data: { accepted: 1, duplicate: 0, dropped: 0 } });
}
async function variantOf(userId: string): Promise<string | undefined> {
  const { text } = await trivet.send(userId, {});
  const { data } = JSON.parse(text) as { data: { ctas: Array<{ variant?: string }> } };
  return data.ctas[0]?.variant;
}
async function users(): Promise<Record<string, number>> {
  const { arms, multipleExposures } = (await trivet.call('get-experiment-results', { ctaId })) as {
    arms: Array<{ key: string; users: number }>;
    multipleExposures: number;
  };
  return Object.fromEntries([...arms.map((arm) => [arm.key, arm.users]), ['twice', multipleExposures]]);
}
const difference = (after: Record<string, number>, before: Record<string, number>) =>
  Object.fromEntries(Object.entries(after).map(([key, count]) => [key, count - (before[key] ?? 0)]));

test.each<[string, readonly ('guest' | 'user' | 'guest sees' | 'user reports')[], 'guest' | 'user', boolean]>(
  [
    ['the guest alone was shown it', ['guest'], 'guest', false],
    ['the guest alone saw it, and has no state', ['guest sees'], 'guest', false],
    // What is no exposure says nothing of an arm that was seen.
    [
      'the guest alone was shown it, and the user reported something',
      ['guest', 'user reports'],
      'guest',
      false,
    ],
    ['the user alone was shown it', ['user'], 'user', false],
    ['the guest first', ['guest', 'user'], 'guest', true],
    ['the user first', ['user', 'guest'], 'user', true],
  ],
)('%s', async (_, exposures, first, isTwice) => {
  const before = await users();
  const { guestId, userId, switched } = await pair();
  for (const who of exposures)
    if (who === 'guest sees') await sees(guestId);
    else if (who === 'user reports') await sees(userId, 'held');
    else await acts(who === 'guest' ? guestId : userId);
  await switched();
  const arm = String(armOfId(first === 'guest' ? guestId : userId));
  expect([await variantOf(userId), await variantOf(guestId)]).toEqual([arm, arm]);
  const counted = { show: 0, none: 0, twice: 0 };
  expect(difference(await users(), before)).toEqual({ ...counted, [isTwice ? 'twice' : arm]: 1 });
  expect(await trivet.call('explain-cta', { userId })).toMatchObject({ ctas: [{ variant: arm }] });
});

test('an action that comes under the number of the guest counts in the arm that the user has', async () => {
  const { guestId, userId, switched } = await pair();
  await acts(userId);
  await switched();
  const actions = async () => {
    const { items } = (await trivet.call('get-cta-metrics', { ctaId, breakdown: 'variant' })) as {
      items: Array<{ variant: string | null; actions: number }>;
    };
    return Object.fromEntries(items.map((item) => [String(item.variant), item.actions]));
  };
  const before = await actions();
  await acts(guestId);
  expect(difference(await actions(), before)).toEqual({
    [String(armOfId(userId))]: 1,
    [String(armOfId(guestId))]: 0,
  });
});

test('who becomes a third user keeps the first arm of all', async () => {
  const first = await pair();
  await acts(first.guestId);
  await first.switched();
  const second = await pair();
  await trivet.call('merge-users', { userId: Number(second.userId), duplicateId: Number(first.userId) });
  expect(await variantOf(second.userId)).toBe(armOfId(first.guestId));
});
