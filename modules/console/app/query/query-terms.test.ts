import { expect, test } from 'bun:test';
import { joiningOf, termsOf, withTerm } from './query-terms.ts';

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

test.each([
  ['', 'not-in-run:3'],
  ['label:smoke', 'label:smoke not-in-run:3'],
  ['a OR b', '(a OR b) not-in-run:3'],
  ['failed:>=1 since:7d', 'failed:>=1 not-in-run:3 since:7d'],
  ['a OR b sort:name', '(a OR b) not-in-run:3 sort:name'],
  ['a) OR (b', 'a) OR (b'],
])('%j with a term is %j', (query, expected) => expect(withTerm(query, 'not-in-run:3')).toBe(expected));
