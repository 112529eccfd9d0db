import { expect, test } from 'bun:test';
import { withLabels } from '../../../api/parameter-words.ts';
import { columnFor } from './import-fault.ts';

const columnOf = columnFor([
  { column: 'Case name', to: 'testName' },
  { column: 'Danger', to: 'cf.risk' },
  { column: 'Remarks', to: null },
]);

test.each([
  ['testName is required', '"Case name" is required.'],
  ['fields.risk must be a number', '"Danger" must be a number.'],
  ['fields.other must be a number', '"other" must be a number.'],
  ['estimateSeconds must be a whole number', '"Estimate" must be a whole number.'],
])('%s: the column of the file is named', (message, said) =>
  expect(withLabels(message, columnOf)).toBe(said),
);
