import { expect, test } from 'bun:test';
import { periodFault } from './period-fault.ts';

test.each([
  [{ start: null, end: null }, undefined],
  [{ start: 101, end: null }, undefined],
  [{ start: 101, end: 102 }, undefined],
  [{ start: 100, end: null }, 'start'],
  [{ start: 101, end: 101 }, 'end'],
  [{ start: null, end: 99 }, 'end'],
] as const)('%j: %p', (period, at) => {
  expect(periodFault({ ...period, now: 100 })?.at).toBe(at as never);
});
