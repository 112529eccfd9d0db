import { expect, test } from 'bun:test';
import { limitsOf, limitTexts, mergedLimits, typedOf, type TenantLimits } from './delivery-words.ts';

const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Rome' };

test.each<[TenantLimits | null, readonly string[]]>([
  [null, []],
  [{ minGapSeconds: 0, perDay: 0 }, []],
  [{ perDay: 3 }, ['at most 3 in 24 hours']],
  [{ minGapSeconds: 30 }, ['30 seconds between two']],
  [{ minGapSeconds: 60 }, ['1 minute between two']],
  [{ minGapSeconds: 7_200, quietHours }, ['2 hours between two', 'none from 22:00 to 07:00']],
])('%j', (limits, texts) => expect(limitTexts(limits)).toEqual([...texts]));

test.each<TenantLimits>([
  { perDay: 3 },
  { minGapSeconds: 90 },
  { minGapSeconds: 5_400, perDay: 1, quietHours },
  { quietHours },
])('%j is the same after a form', (limits) => expect(limitsOf(typedOf(limits, 'UTC'))).toEqual(limits));

test('empty fields are no limits', () => expect(limitsOf(typedOf(null, 'Europe/Berlin'))).toBeUndefined());

const gapOnly = { minGapSeconds: 5_400 };
const otherHours = { from: '20:00', to: '08:00', timeZone: 'UTC' };

/** What one person read and typed, what somebody else has stored meanwhile, and what is stored then. */
test.each<[string, ...(readonly (TenantLimits | null)[])]>([
  ['nobody else', null, { perDay: 3 }, null, { perDay: 3 }],
  [
    'another limit of somebody else stays',
    { perDay: 3 },
    { perDay: 4 },
    { perDay: 3, quietHours },
    { perDay: 4, quietHours },
  ],
  [
    'one that they took away stays away',
    { perDay: 3, quietHours },
    { perDay: 4, quietHours },
    { perDay: 3 },
    { perDay: 4 },
  ],
  [
    'the same one is of the later person',
    gapOnly,
    { minGapSeconds: 60 },
    { minGapSeconds: 7_200 },
    { minGapSeconds: 60 },
  ],
  [
    'quiet hours are one limit',
    { quietHours },
    { quietHours: otherHours },
    { perDay: 1, quietHours },
    { perDay: 1, quietHours: otherHours },
  ],
  ['both take away another one', { perDay: 3, quietHours }, { quietHours }, { perDay: 3 }, null],
])('%s', (_, read = null, typed = null, now = null, stored = null) => {
  const as = (limits: TenantLimits | null) => typedOf(limits, 'UTC');
  expect(limitsOf(mergedLimits(as(read), as(typed), as(now))) ?? null).toEqual(stored);
});
