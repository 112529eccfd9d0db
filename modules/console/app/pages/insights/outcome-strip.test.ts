import { expect, test } from 'bun:test';
import { outcomesOf } from './outcome-strip.ts';

test.each([
  ['', []],
  ['pF', ['passed', 'failed, changed']],
  ['b?B', ['blocked', 'blocked, changed']],
])('the outcomes %p are %o', (text, titles) =>
  expect(outcomesOf(text).map(({ title }) => title)).toEqual([...titles]),
);
