import { expect, test } from 'bun:test';
import { sound } from '../testing/sound-rule.ts';
import { goalWarnings, type GoalEvent } from './goal.ts';

const move = (to: string) => ({ go: { '0': [{ transitionTo: to }] } });

test.each<[GoalEvent, to: string, paths: string[]]>([
  [{ state: '2' }, '2', []],
  [{ state: '3' }, '2', ['on.state']],
  // Every machine begins there, and none arrives there.
  [{ state: '0' }, '2', ['on.state']],
  [{ state: '0' }, '0', []],
  [{ event: 'bought' }, '2', []],
])('%j of a rule that leads to %s', (on, to, paths) => {
  const warnings = goalWarnings(on, { ...sound, stateTransition: move(to) });
  expect(warnings.map(({ path }) => path)).toEqual(paths);
});
