import { expect, test } from 'bun:test';
import { mergedDocument } from './document-merge.ts';

const base = {
  name: 'A',
  description: 'B',
  rule: { priority: 1, actions: ['x'], states: { 0: { go: '1' } } },
};

test.each([
  ['what only they changed stays', { ...base }, { ...base, name: 'T' }, { ...base, name: 'T' }],
  [
    'two places of one rule',
    { ...base, rule: { ...base.rule, priority: 2 } },
    { ...base, rule: { ...base.rule, actions: ['y'] } },
    { ...base, rule: { ...base.rule, priority: 2, actions: ['y'] } },
  ],
  ['the same place is mine', { ...base, name: 'M' }, { ...base, name: 'T' }, { ...base, name: 'M' }],
  [
    'a list is one value',
    { ...base, rule: { ...base.rule, actions: ['x', 'm'] } },
    { ...base, rule: { ...base.rule, actions: ['x', 't'] } },
    { ...base, rule: { ...base.rule, actions: ['x', 'm'] } },
  ],
  [
    'a state of each',
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 1: { go: 'm' } } } },
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 2: { go: 't' } } } },
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 1: { go: 'm' }, 2: { go: 't' } } } },
  ],
  [
    'the same new state is mine, whole',
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 1: { a: 'm' } } } },
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 1: { b: 't' } } } },
    { ...base, rule: { ...base.rule, states: { 0: { go: '1' }, 1: { a: 'm' } } } },
  ],
  [
    'what they removed and I left alone is removed',
    { ...base, name: 'M' },
    { name: 'A', rule: base.rule },
    { name: 'M', rule: base.rule },
  ],
  [
    'what I removed is removed',
    { name: 'A', rule: base.rule },
    { ...base, name: 'T' },
    { name: 'T', rule: base.rule },
  ],
])('%s', (_, mine, theirs, merged) => expect(mergedDocument(base, mine, theirs)).toEqual(merged));
