import { expect, test } from 'bun:test';
import { joinedExposures, type Exposure } from './exposure.ts';

const seen = (userId: string, exposedAt: number | null, exposedAs: string[] | null = null): Exposure => ({
  userId,
  exposedAt,
  exposedAs,
});
test.each<[string, Exposure, Exposure, string[]]>([
  ['nobody saw it', seen('7', null), seen('42', null), []],
  ['the guest alone', seen('7', 10), seen('42', null), ['7']],
  ['the user alone', seen('7', null), seen('42', 10), ['42']],
  ['the guest first', seen('7', 10), seen('42', 20), ['7', '42']],
  ['the user first', seen('7', 30), seen('42', 20), ['42', '7']],
  ['a second guest, later', seen('8', 30), seen('42', 10, ['7']), ['7', '8']],
  ['a second guest, earlier', seen('8', 5), seen('42', 10, ['7', '42']), ['8', '7', '42']],
  ['the same id on both sides', seen('8', 5, ['8', '42']), seen('42', 10), ['8', '42']],
  [
    'more than eight',
    seen('1', 1, ['1', '2', '3', '4', '5']),
    seen('6', 2, ['6', '7', '8', '9', '10']),
    ['1', '2', '3', '4', '5', '6', '7', '8'],
  ],
])('%s', (_, guest, user, ids) => {
  expect(joinedExposures(guest, user)).toEqual(ids);
});
