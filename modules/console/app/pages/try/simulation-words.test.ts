import { expect, test } from 'bun:test';
import { serverGates } from '../../../../cta/rules/eligibility.ts';
import { userGates } from '../../../../cta/launch/resolution.ts';
import { appGates } from '../../../../cta/simulation/explanation.ts';
import { gateNames, lightsOf, outcomeText, type Outcome } from './simulation-words.ts';

test('the gates stand in the order in which the server and the app ask', () =>
  expect(Object.keys(gateNames)).toEqual([...serverGates, ...userGates, ...appGates]));

test.each([
  [null, 19, 0],
  ['status' as const, 0, 18],
  ['cohort' as const, 4, 14],
])('the lights of a CTA that is closed at %p', (gate, open, notAsked) => {
  const lights = lightsOf({ gate }).map(({ is }) => is);
  expect(lights.filter((is) => is === 'open').length).toBe(open);
  expect(lights.filter((is) => is === 'not asked').length).toBe(notAsked);
});

const of = { ctaId: '1', groupKey: '1' };

test.each<[string, Outcome]>([
  ['begins and waits in state 0', { ...of, kind: 'started', state: '0' }],
  ['begins, 0 → 1', { ...of, kind: 'transition', from: '0', to: '1', started: true }],
  ['1 → 2', { ...of, kind: 'transition', from: '1', to: '2', started: false }],
  ['shows a (POPUP)', { ...of, kind: 'action', actionId: 'a', type: 'POPUP', triggerDelay: 0 }],
  ['shows a (POPUP) after 5 ms', { ...of, kind: 'action', actionId: 'a', type: 'POPUP', triggerDelay: 5 }],
  ['reset in state 2: one impression', { ...of, kind: 'reset', state: '2' }],
  [
    'held back by frequency.session: its limit is reached, in this session (1 in this session, 2 in the window, 3 ever)',
    { ...of, kind: 'held', hold: 'frequency.session', counts: { session: 1, window: 2, lifespan: 3 } },
  ],
  [
    'held back by group_key: the event lacks a property by which its state machines are told apart',
    { ...of, kind: 'held', hold: 'group_key' },
  ],
  ['held back by template: its action has no template', { ...of, kind: 'held', hold: 'template' }],
  [
    'held back by trigger_delay: a later action of it, or the end of the app, came before its delay was over',
    { ...of, kind: 'held', hold: 'trigger_delay' },
  ],
])('%s', (text, outcome) => expect(outcomeText(outcome).text).toBe(text));
