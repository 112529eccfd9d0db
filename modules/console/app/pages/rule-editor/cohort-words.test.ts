import { expect, test } from 'bun:test';
import { countSentence, membersText, typedPercentage } from './cohort-words.ts';

const cohort = {
  cohortName: 'a',
  tenantId: 'default',
  description: '',
  size: 0,
  createdBy: 1,
  createdAt: 0,
  updatedAt: 0,
};
const leaf = {
  propertyName: 'country',
  propertyType: 'string' as const,
  comparisonType: '=' as const,
  comparisonValue: 'DE',
};

test.each([
  [membersText({ ...cohort, kind: 'list', size: 1 }), '1 user'],
  [membersText({ ...cohort, kind: 'list', size: 12_000 }), '12,000 users'],
  [membersText({ ...cohort, kind: 'percentage', percentage: 12.5, seed: 'a' }), '12.5 % of all users'],
  [membersText({ ...cohort, kind: 'percentage', percentage: 5, seed: 'b' }), '5 % of all users, seed b'],
  [
    membersText({ ...cohort, kind: 'attributes', filters: { operator: 'AND', filter: [leaf] } }),
    'country = DE',
  ],
])('%s', (text, expected) => expect(text).toBe(expected));

const counted = { tenantId: 'default', cohortName: 'a', kind: 'attributes' as const, examined: 10 };

test.each([
  [
    countSentence({ ...counted, known: 10, matching: 1, sampled: false }),
    '1 user of the 10 that the tenant knows.',
  ],
  [
    countSentence({ ...counted, known: 9000, matching: 4100, sampled: true }),
    'About 4,100 users of the 9,000 that the tenant knows, by a sample.',
  ],
  [
    countSentence({ ...counted, kind: 'list', known: 5, matching: 3, sampled: false }),
    '3 users in the list; the tenant knows 5 users.',
  ],
])('%s', (text, expected) => expect(text).toBe(expected));

test.each([
  ['12,5', 12.5],
  [' 0.01 ', 0.01],
  ['100', 100],
  ['100.01', NaN],
  ['0.001', NaN],
  ['', NaN],
  ['half', NaN],
])('the percentage %p is %p', (text, percentage) => expect(typedPercentage(text)).toBe(percentage));
