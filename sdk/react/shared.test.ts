import { afterAll, expect, test } from 'bun:test';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { freshTenant, startCtaKernel } from '../../modules/cta/testing/cta-kernel.ts';
import { stillClock } from '../../test/kernel.ts';
import { memoryStorage } from '../base/storage.ts';
import { testClock } from '../testing/test-clock.ts';
import { createTrivet, type Trivet } from '../trivet/trivet.ts';
import { sharedOf } from './shared.ts';

/* What useAction shows while people change, with a real client and server. How React shows it: test/console/sdk-react.test.ts. */
const clock = stillClock();
const server = await startCtaKernel(clock, { guests: 'true' });
afterAll(() => server.stop());

const rule = {
  stateTransition: { open: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'offer' },
  actions: [{ actionId: 'offer', type: 'POPUP', template: {} }],
};
const identity = async (name: string) => ({
  provider: 'dev',
  idToken: await mintDevIdToken(server.kernel.host, `${name}@example.org`, crypto.randomUUID()),
});
type Step = (trivet: Trivet) => unknown;
const signIn =
  (name: string): Step =>
  async ({ auth }) =>
    auth.signIn(await identity(name));
const guest: Step = ({ auth }) => auth.signInAsGuest();
const signOut: Step = ({ auth }) => auth.signOut();
const link =
  (name: string): Step =>
  async ({ auth }) =>
    auth.link({ ...(await identity(name)), onConflict: 'switch' });
const set =
  (userId: number | null): Step =>
  ({ cta }) =>
    cta.setUser(userId);
const see: Step = async ({ cta }) => {
  await cta.launch();
  cta.track('open');
};

/** @see sdk/README.md, useAction: a component with it alone showed the action of the person before. */
test.each<[string, Step[], boolean]>([
  ['of a user', [signIn('ann'), see], true],
  ['of a user who signed out', [signIn('ann'), see, signOut], false],
  ['of the user before', [signIn('ann'), see, signOut, signIn('bob')], false],
  ['of the user before, without a sign-out', [signIn('ann'), see, signIn('bob')], false],
  ['of the same user, signed in again', [signIn('ann'), see, signIn('ann')], true],
  ['of a guest who signed out', [guest, see, signOut], false],
  ['of a guest before somebody signed in', [guest, see, signOut, signIn('bob')], false],
  ['of a guest, without a sign-out', [guest, see, signIn('bob')], false],
  ['of a guest who became a user', [guest, see, link('new')], true],
  ['of a guest who switched to a user', [signIn('known'), signOut, guest, see, link('known')], true],
  ['of that guest, when the user left', [guest, see, link('known'), signOut], false],
  ['of a user that the app names', [set(7), see], true],
  ['of the same one, named again', [set(7), see, set(7)], true],
  ['of one that the app takes back', [set(7), see, set(null)], false],
  ['of another that the app names', [set(7), see, set(8)], false],
  ['of a named user, while others sign in', [set(7), see, signIn('ann'), signOut], true],
])('an action %s', async (_, steps, isShown) => {
  const tenantId = freshTenant();
  await server.makeCta({ tenantId, rule }, 'LIVE');
  const trivet = createTrivet({
    url: server.origin,
    tenantId,
    storage: memoryStorage(),
    now: clock.now,
    later: testClock(clock.now()).later,
    lifecycle: () => () => {},
    onError: () => {},
  });
  const shared = sharedOf(trivet);
  shared.subscribe(() => {});
  let wasShown = false;
  for (const step of steps) {
    await step(trivet);
    wasShown ||= shared.action() !== null;
  }
  expect([wasShown, shared.action() !== null]).toEqual([true, isShown]);
  trivet.dispose();
});
