import { expect, test } from 'bun:test';
import { chipValues, withChipValues } from './query-chip-text.ts';

test.each<[query: string, field: string, values: readonly string[]]>([
  ['', 'label', []],
  ['label:smoke', 'label', ['smoke']],
  ['pay label:smoke,"two words" last:failed', 'label', ['smoke', 'two words']],
  ['"label:x" pay', 'label', []],
  ['-label:smoke', 'label', []],
  ['in-label:smoke', 'label', []],
  ['(label:smoke OR pay)', 'label', []],
  ['label:"half', 'label', []],
  ['label:', 'label', []],
  ['cf.risk:High,Low', 'cf.risk', ['High', 'Low']],
  ['cf-risk:High', 'cf.risk', []],
  ['pay OR label:smoke', 'label', []],
  ['(pay label:smoke OR x)', 'label', []],
  ['"pay label:smoke now"', 'label', []],
  ['NOT label:smoke', 'label', []],
  ['(pay OR x) label:smoke', 'label', ['smoke']],
  ['label:"a\\"b","c\\\\"', 'label', ['a"b', 'c\\']],
])('%j names for %s: %j', (query, field, values) => expect(chipValues(query, field)).toEqual(values));

test.each<[query: string, field: string, values: readonly string[], changed: string]>([
  ['', 'label', ['smoke'], 'label:smoke'],
  ['pay', 'label', ['two words', 'a'], 'pay label:"two words",a'],
  ['pay label:smoke last:failed', 'label', [], 'pay last:failed'],
  ['label:smoke', 'label', [], ''],
  ['label:smoke pay', 'label', ['$&'], 'label:"$&" pay'],
  ['pay', 'label', [], 'pay'],
  ['pay', 'label', ['a"b', 'c\\'], 'pay label:"a\\"b","c\\\\"'],
  ['pay', 'label', ['2024'], 'pay label:"2024"'],
  ['pay OR x', 'label', ['smoke'], '(pay OR x) label:smoke'],
  ['pay OR x sort:name since:7d', 'label', ['smoke'], '(pay OR x) label:smoke sort:name since:7d'],
  ['(pay OR x) label:smoke', 'label', [], '(pay OR x)'],
  ['pay AND label:smoke AND x', 'label', [], 'pay x'],
  ['NOT label:smoke', 'label', ['smoke'], 'NOT label:smoke label:smoke'],
  ['"pay  now" label:smoke', 'label', [], '"pay  now"'],
  ['pay', 'label', ['Ärger'], 'pay label:Ärger'],
  ['pay', 'cf.risk', ['High', 'None'], 'pay cf.risk:High,"None"'],
  ['assigned:me', 'assigned', ['none'], 'assigned:none'],
])('%j with %s %j is %j', (query, field, values, changed) =>
  expect(withChipValues(query, field, values)).toBe(changed),
);

test('backslashes without an end are read once', () => {
  const open = `label:"${'\\'.repeat(1_000)}`;
  expect(chipValues(open, 'label')).toEqual([]);
  expect(withChipValues(open, 'last', ['failed'])).toBe(`${open} last:failed`);
});

test('a query that is longer than the server takes names nothing', () => {
  expect(chipValues(`label:${'a'.repeat(1_990)}`, 'label')).toEqual(['a'.repeat(1_990)]);
  expect(chipValues(`label:${'a'.repeat(200_000)}`, 'label')).toEqual([]);
});
