import { expect, test } from 'bun:test';
import { shownChange } from './activity-record.ts';

/** Entries of earlier versions name the column of own fields, and have a text in place of their values. */
test.each([
  [
    { field: 'fieldValues', from: '{"sev":"low"}', to: '{"sev":"high"}' },
    { field: 'fields', from: { sev: 'low' }, to: { sev: 'high' } },
  ],
  [
    { field: 'fieldValues', from: null, to: '{"sev":"a text that was cut…' },
    { field: 'fields', from: null, to: '{"sev":"a text that was cut…' },
  ],
  [
    { field: 'fields', to: '{"sev":"high"}' },
    { field: 'fields', to: { sev: 'high' } },
  ],
  [
    { field: 'fields', count: 2 },
    { field: 'fields', count: 2 },
  ],
  [
    { field: 'testName', from: '{"a":1}', to: '12' },
    { field: 'testName', from: '{"a":1}', to: '12' },
  ],
])('%j is shown as %j', (change, shown) => {
  expect(shownChange(change)).toEqual(shown);
});
