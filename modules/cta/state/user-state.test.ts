import { expect, test } from 'bun:test';
import { activeCtaIds, emptyState, emptyTagState, isTombstone } from './user-state.ts';

test('an empty state is plain JSON', () => {
  expect(JSON.stringify(emptyState)).toBe('{"version":2,"ctas":{},"tags":{}}');
});

test('a tombstone is told from a machine', () => {
  expect(isTombstone({ removed: true, lastTransitionAt: 1, receivedAt: 2 })).toBe(true);
  expect(isTombstone({ currentState: '1', lastTransitionAt: 1, createdAt: 1, reset: false })).toBe(false);
});

test('active CTAs are listed by id, ended ones are not', () => {
  const activeCtas = {
    b: { active: true, at: 1 },
    '10': { active: true, at: 1 },
    '9': { active: true, at: 2 },
  };
  const tag = { ...emptyTagState, activeCtas: { ...activeCtas, '1': { active: false, at: 3 } } };
  expect(activeCtaIds(tag)).toEqual(['9', '10', 'b']);
});
