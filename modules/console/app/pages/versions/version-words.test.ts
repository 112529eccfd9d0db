import { expect, test } from 'bun:test';
import { titleOfField } from '../../api/parameter-words.ts';
import { textsOfField } from './version-words.ts';

test.each([
  [{ field: 'testName', from: 'a', to: 'b' }, 'Name', 'a', 'b'],
  [{ field: 'testDescription', from: '', to: 'text' }, 'Description', '', 'text'],
  [{ field: 'priorityId', from: null, to: 3, toName: 'High' }, 'Priority', '', 'High'],
  [{ field: 'squadId', from: 4, to: null }, 'Squad', 'no longer there (4)', ''],
  [{ field: 'labels', from: [1], to: [], fromName: 'smoke' }, 'Labels', 'smoke', ''],
  [{ field: 'deleted', from: false, to: true }, 'Deleted', 'no', 'yes'],
  [{ field: 'estimateSeconds', from: null, to: 90 }, 'Estimate in seconds', '', '90'],
])('%j', (field, title, before, after) => {
  expect(titleOfField(field.field)).toBe(title);
  expect(textsOfField(field)).toEqual({ before, after });
});
