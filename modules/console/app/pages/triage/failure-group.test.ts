import { expect, test } from 'bun:test';
import { defectsOfGroup, queryOfGroup } from './failure-group.ts';

test('the query of a group, also of failures without a message', () => {
  expect(queryOfGroup({ groupId: '1a2b3c4d5e6f' })).toBe('group:1a2b3c4d5e6f');
  expect(queryOfGroup({ groupId: null })).toBe('group:none');
});

test('a group has the defects of its tests, each once', () => {
  const link = (linkId: number, testId: number, key: string) => ({ linkId, testId, key, url: null });
  const first = [1, 2].map((testId) => ({ testId, testName: '' }));
  const links = [link(1, 1, 'SHOP-7'), link(2, 2, 'SHOP-7'), link(3, 2, 'SHOP-8'), link(4, 9, 'SHOP-9')];
  expect(defectsOfGroup({ first }, links).map(({ key }) => key)).toEqual(['SHOP-7', 'SHOP-8']);
});
