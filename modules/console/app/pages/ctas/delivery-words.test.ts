import { expect, test } from 'bun:test';
import { limitsOf, limitTexts, typedOf, type TenantLimits } from './delivery-words.ts';

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
