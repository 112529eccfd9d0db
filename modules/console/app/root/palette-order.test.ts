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

/** @see Ten tests took all places, and the CTA that was meant did not exist for whoever searched it. */
test('no group takes more than half of the places from others', () => {
  const tests = Array.from({ length: 12 }, (_, n) => ({ id: `${n}`, name: `Voucher ${n}`, group: 'Tests' }));
  const others = [
    { id: 'cta', name: 'Welcome voucher', group: 'CTAs' },
    { id: 'run', name: 'Vouchers', group: 'Runs' },
  ];
  const groupsOf = (all: readonly Entry[]) => foundEntries('voucher', all, [], 10).map(({ group }) => group);
  expect(groupsOf([...tests, ...others]).toSorted()).toEqual([
    'CTAs',
    'Runs',
    ...Array.from({ length: 8 }, () => 'Tests'),
  ]);
  expect(groupsOf(tests)).toHaveLength(10);
});

test.each<[string, number | undefined]>([
  ['12', 12],
  [' #7 ', 7],
  ['0', undefined],
  ['12a', undefined],
  ['1234567890', undefined],
  ['', undefined],
])('%j names the record %p', (text, id) => expect(typedId(text)).toBe(id));
