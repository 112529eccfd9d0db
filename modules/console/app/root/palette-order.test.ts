import { expect, test } from 'bun:test';
import { foundEntries, typedId, type Entry } from './palette-order.ts';

const entries: readonly Entry[] = [
  { id: '/projects/1/tests', name: 'Tests', group: 'Project', also: 'Web shop' },
  { id: '/sessions', name: 'Sessions', group: 'Administration' },
  { id: '/projects/1/runs?new=1', name: 'Create run', group: 'Actions' },
  { id: '/projects/1/tests?test=12', name: 'Pay with a card', group: 'Tests', recordId: 12 },
  { id: '/projects/1/tests?test=13', name: 'Repay a card', group: 'Tests', recordId: 13 },
  { id: '/projects/1/runs/12', name: 'Sprint 12', group: 'Runs', recordId: 12 },
  { id: '/projects/1/runs/3', name: 'Paypal', group: 'Runs', recordId: 3 },
];

test.each<[text: string, recent: readonly string[], names: readonly string[]]>([
  ['pay', [], ['Pay with a card', 'Paypal', 'Repay a card']],
  ['PAY card', [], ['Pay with a card', 'Repay a card']],
  ['card pay', [], ['Pay with a card', 'Repay a card']],
  ['pay', ['/projects/1/runs/3'], ['Paypal', 'Pay with a card', 'Repay a card']],
  ['12', [], ['Pay with a card', 'Sprint 12']],
  ['#13', [], ['Repay a card']],
  ['sess', [], ['Sessions']],
  ['shop', [], ['Tests']],
  ['web tests', [], ['Tests']],
  ['create', [], ['Create run']],
  ['run', [], ['Create run']],
  ['nothing like it', [], []],
  ['   ', ['/sessions', '/projects/1/runs/3'], ['Sessions', 'Paypal', 'Create run']],
  ['(', [], []],
])('%j after %j finds %j', (text, recent, names) => {
  const found = foundEntries(text, entries, recent, 3);
  expect(found.map(({ name }) => name)).toEqual([...names]);
});

test.each<[string, number | undefined]>([
  ['12', 12],
  [' #7 ', 7],
  ['0', undefined],
  ['12a', undefined],
  ['1234567890', undefined],
  ['', undefined],
])('%j names the record %p', (text, id) => expect(typedId(text)).toBe(id));
