import { expect, test } from 'bun:test';
import { pathText, valueAt, without, withValue, type Path } from './json-path.ts';

const doc = { rule: { actions: [{ id: 'a', config: { delay: 1 } }], frequency: { session: { limit: 1 } } } };

test.each<[string, Path, unknown, unknown]>([
  ['a member', ['rule', 'priority'], 3, { ...doc.rule, priority: 3 }],
  ['an item', ['rule', 'actions', 0], 'x', { ...doc.rule, actions: ['x'] }],
  ['a further item', ['rule', 'actions', 1], 'x', { ...doc.rule, actions: [doc.rule.actions[0], 'x'] }],
  ['what has no holder', ['rule', 'a', 'b', 0], 1, { ...doc.rule, a: { b: [1] } }],
])('%s is set', (_, path, to, rule) => expect(withValue(doc, path, to)).toEqual({ rule }));

test.each<[string, Path, unknown]>([
  [
    'with the objects that become empty',
    ['rule', 'frequency', 'session', 'limit'],
    { ...doc.rule, frequency: {} },
  ],
  ['an item', ['rule', 'actions', 0], { ...doc.rule, actions: [] }],
  ['within an item', ['rule', 'actions', 0, 'config', 'delay'], { ...doc.rule, actions: [{ id: 'a' }] }],
  ['what is not there', ['rule', 'none'], doc.rule],
])('a value is removed: %s', (_, path, rule) => expect(without(doc, path)).toEqual({ rule }));

test('a name of every object is a name like others', () => {
  expect(valueAt({}, ['constructor'])).toBeUndefined();
  const named = withValue({}, ['__proto__', 'x'], 1);
  expect(Object.keys(named as object)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('paths are named as the server names them', () =>
  expect(pathText(['rule', 'stateTransition', 'cart opened', '0', 1, 'filters'])).toBe(
    'rule.stateTransition.cart opened.0[1].filters',
  ));
