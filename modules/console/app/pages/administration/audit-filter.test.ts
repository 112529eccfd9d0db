import { describe, expect, test } from 'bun:test';
import { auditFilter, eventWord } from './audit-filter.ts';

describe('the filter of an address', () => {
  test.each([
    ['', {}],
    ['user=7&event=sign_in', { userId: 7, event: 'sign_in' }],
    ['user=0&event=toString&operation=Delete%20test', {}],
    ['operation=delete-test', { operation: 'delete-test' }],
    [
      'since=2026-11-01&until=2026-11-30',
      { since: '2026-11-01T00:00:00.000Z', until: '2026-12-01T00:00:00.000Z' },
    ],
    ['since=2026-13-01&until=yesterday', {}],
  ])('%p', (search, filter) => expect<object>(auditFilter(new URLSearchParams(search))).toEqual(filter));
});

test.each([
  ['role_changed', 'Role changed'],
  ['constructor', 'constructor'],
])('%p is %p', (event, word) => expect(eventWord(event)).toBe(word));
