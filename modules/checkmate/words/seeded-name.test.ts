import { expect, test } from 'bun:test';
import { classifications, type Classification } from '../../testmgmt/index.ts';
import { seededName } from './seeded-name.ts';

test.each<[Classification, number, string | undefined]>([
  ['automationStatus', 1, 'Not automatable'],
  ['automationStatus', 2, 'Automated'],
  ['priority', 2, 'High'],
  ['testCoveredBy', 2, 'End to end'],
  ['automationStatus', 0, undefined],
  ['automationStatus', 4, undefined],
  ['platform', 1, undefined],
  ['type', 2, undefined],
])('%s %d is %p', (kind, id, name) => expect(seededName(kind, id)).toBe(name));

test('a new project of Trivet has each of these names', () => {
  for (const [kind, { usual }] of Object.entries(classifications))
    for (let id = 1, name; (name = seededName(kind as Classification, id)) !== undefined; id++)
      expect([kind, usual as readonly string[]]).toEqual([kind, expect.arrayContaining([name]) as string[]]);
});
