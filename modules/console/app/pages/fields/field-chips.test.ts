import { expect, test } from 'bun:test';
import { fieldChips, ownFieldValues } from './field-chips.ts';

const field = (
  key: string,
  kind: 'text' | 'boolean' | 'choice' | 'choices',
  ...options: readonly string[]
) => ({
  key,
  name: key.toUpperCase(),
  kind,
  options: [...options],
});

test('own fields with a list of values are filters, the first four of them', () => {
  const fields = [
    field('note', 'text'),
    field('legal', 'boolean'),
    field('risk', 'choice', 'High', 'Low'),
    field('areas', 'choices', 'web'),
    field('a', 'boolean'),
    field('b', 'boolean'),
  ];
  expect(fieldChips(fields)).toEqual([
    { name: 'LEGAL', field: 'cf.legal', values: ['yes', 'no'] },
    { name: 'RISK', field: 'cf.risk', values: ['High', 'Low'] },
    { name: 'AREAS', field: 'cf.areas', values: ['web'] },
    { name: 'A', field: 'cf.a', values: ['yes', 'no'] },
  ]);
  expect(ownFieldValues(fields.slice(0, 3))).toEqual({
    'cf.note': [],
    'cf.legal': ['yes', 'no'],
    'cf.risk': ['High', 'Low'],
  });
});
