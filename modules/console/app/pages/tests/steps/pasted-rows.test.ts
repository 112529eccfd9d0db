import { expect, test } from 'bun:test';
import { mostPasted, pastedNames, pastedSteps } from './pasted-rows.ts';

test.each<[name: string, text: string, steps: unknown]>([
  ['one line', 'Open the page', null],
  ['lines of prose', 'Open the page\nand wait', null],
  [
    'a row of titles',
    'Action\tData\tExpected result\nOpen\tcard\tShown',
    [{ action: 'Open', data: 'card', expected: 'Shown' }],
  ],
  [
    'a list of Word',
    '1.\tOpen the page\n2.\tType a name\n   with spaces\n3.\tPress OK',
    [{ action: 'Open the page' }, { action: 'Type a name\nwith spaces' }, { action: 'Press OK' }],
  ],
  ['only titles', 'Action\tExpected', [{ action: 'Action', expected: 'Expected' }]],
  [
    'two columns',
    'Open\tIt is shown\nPay\tA receipt',
    [
      { action: 'Open', expected: 'It is shown' },
      { action: 'Pay', expected: 'A receipt' },
    ],
  ],
  [
    'three columns',
    'Pay\tcard 4111\tA receipt',
    [{ action: 'Pay', data: 'card 4111', expected: 'A receipt' }],
  ],
  [
    'a column of numbers',
    '1\tOpen\tShown\r\n2\tPay\tReceipt\r\n',
    [
      { action: 'Open', expected: 'Shown' },
      { action: 'Pay', expected: 'Receipt' },
    ],
  ],
  ['an empty cell', 'Pay\t\tA receipt', [{ action: 'Pay', expected: 'A receipt' }]],
  ['numbered lines', '1. Open\n2) Pay\n', [{ action: 'Open' }, { action: 'Pay' }]],
  ['bullets', '- Open\n• Pay\n* Leave', [{ action: 'Open' }, { action: 'Pay' }, { action: 'Leave' }]],
  ['one numbered line', '1. Open', null],
  ['numbered in part', '1. Open\nand wait', null],
  [
    'a cell with a line break and quotes',
    'Type\t"a ""b""\nc"\tShown',
    [{ action: 'Type', data: 'a "b"\nc', expected: 'Shown' }],
  ],
  ['a quote that never ends', 'a\t"b', [{ action: 'a', expected: 'b' }]],
])('steps of %s', (_, text, steps) => expect(pastedSteps(text)).toEqual(steps as never));

test.each<[name: string, text: string, names: readonly string[] | null]>([
  ['one', 'Pay', null],
  ['nothing', ' \n\t\n', null],
  ['lines', 'Pay by card\n\nPay by voucher\n', ['Pay by card', 'Pay by voucher']],
  ['numbered lines', '1. Pay\n2. Leave', ['Pay', 'Leave']],
  ['a table', 'Pay\tHigh\nLeave\tLow', ['Pay', 'Leave']],
  ['a long one', `${'x'.repeat(300)}\ny`, ['x'.repeat(255), 'y']],
])('names of %s', (_, text, names) => expect(pastedNames(text)).toEqual(names));

test('a large paste is cut, and takes linear time', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) => `${at % 999}. step\t"${'q'.repeat(20)}"`).join(
    '\n',
  );
  const began = performance.now();
  expect(pastedSteps(lines)?.length).toBe(mostPasted);
  expect(pastedNames(lines)?.length).toBe(mostPasted);
  expect(performance.now() - began).toBeLessThan(2_000);
});
