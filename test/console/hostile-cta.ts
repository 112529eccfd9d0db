import type { ConsoleWorld } from './world.ts';

export const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';

/** The rule of {@link createHostileCta}: three states, the last of which is a reset. */
export const hostileRule = {
  stateTransition: {
    home_opened: { '0': [{ transitionTo: '1' }] },
    banner_closed: { '1': [{ transitionTo: '2' }] },
  },
  stateToAction: { '1': 'banner' },
  resetStates: ['2'],
  actions: [{ actionId: 'banner', type: 'NUDGE_UI', template: { text: hostile } }],
  stateMachineTTL: 60_000,
};

/** A draft in which every text is hostile. @returns its id. */
export async function createHostileCta(world: ConsoleWorld): Promise<string> {
  const { ctaId } = await world.must('create-cta', {
    name: hostile,
    description: hostile,
    team: hostile,
    tags: [hostile],
    rule: hostileRule,
  });
  return String(ctaId);
}
