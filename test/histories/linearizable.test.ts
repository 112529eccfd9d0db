import { expect, test } from 'bun:test';
import { linearization, type Model, type Operation } from './linearizable.ts';

/*
 * Tests the checker itself, on a register: what it accepts and, above all, what it must reject.
 *
 * Mutation note: seen to fail when real time is left out (`operation.from > firstEnd`) and when the memo forgets the state.
 */
type Input = { readonly write: number } | 'read';
const register: Model<number, Input, number | null> = {
  initial: 0,
  step: (state, input, output) => (input === 'read' ? (output === state ? state : null) : input.write),
  key: String,
};
const write = (value: number, from: number, to: number): Operation<Input, number | null> => ({
  input: { write: value },
  output: null,
  from,
  to,
});
const read = (value: number, from: number, to: number): Operation<Input, number | null> => ({
  input: 'read',
  output: value,
  from,
  to,
});

const cases: ReadonlyArray<readonly [string, readonly Operation<Input, number | null>[], boolean]> = [
  ['nothing', [], true],
  ['a write, then its value', [write(1, 0, 1), read(1, 2, 3)], true],
  ['a stale read', [write(1, 0, 1), read(0, 2, 3)], false],
  ['a read during a write, either value', [write(1, 0, 5), read(0, 1, 2), read(1, 3, 4)], true],
  ['a read that goes back', [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)], false],
  ['a lost write', [write(1, 0, 3), write(2, 1, 2), read(0, 4, 5)], false],
  ['two writes together, the later of either', [write(1, 0, 3), write(2, 1, 2), read(1, 4, 5)], true],
  [
    'both of two writes, one after the other',
    [write(1, 0, 3), write(2, 0, 3), read(1, 4, 5), read(2, 6, 7)],
    false,
  ],
  [
    'two readers that disagree on the order',
    [write(1, 0, 9), write(2, 0, 9), read(1, 1, 2), read(2, 3, 4), read(1, 5, 6)],
    false,
  ],
  ['a value nobody wrote', [read(7, 0, 1)], false],
];
test.each(cases)('%s', (_title, history, possible) => {
  expect(linearization(register, history) !== null).toBe(possible);
});

test('an order that is found respects time and explains every answer', () => {
  const history = [read(2, 4, 5), write(2, 2, 3), write(1, 0, 1)];
  expect(linearization(register, history)).toEqual([2, 1, 0]);
});
