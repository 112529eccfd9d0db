import { expect, test } from 'bun:test';
import { joiningOf, termsOf } from './query-terms.ts';

test.each<[query: string, terms: readonly string[]]>([
  ['', []],
  ['  pay   label:smoke ', ['pay', 'label:smoke']],
  ['label:"two  words",a x', ['label:"two  words",a', 'x']],
  [String.raw`"a \" b" c`, [String.raw`"a \" b"`, 'c']],
  ['-(a OR "b) c") NOT d', ['-(a OR "b) c")', 'NOT', 'd']],
  ['(a (b c) d) e', ['(a (b c) d)', 'e']],
  ['a "half open', ['a', '"half open']],
])('%j has %j', (query, terms) => expect(termsOf(query)).toEqual(terms));

test.each([
  ['a OR b', 'alternatives'],
  ['(a)OR(b)', 'alternatives'],
  ['a b OR c sort:name', 'alternatives'],
  ['(a OR b) c', 'side by side'],
  ['"a OR b"', 'side by side'],
  ['', 'side by side'],
  ['a) OR (b', 'wrong'],
  ['a OR', 'wrong'],
] as const)('the terms of %j are %s', (query, joining) => expect(joiningOf(query)).toBe(joining));
