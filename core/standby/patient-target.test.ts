import { expect, test } from 'bun:test';
import { memoryTarget } from '../replicate/testing/memory-target.ts';
import { patientTarget } from './patient-target.ts';
import { settled } from '../../test/rejection.ts';

test.each([
  [0, true],
  [3, true],
  [4, false],
])('a request that fails %d times', async (failures, succeeds) => {
  let left = failures;
  const memory = memoryTarget(new Map([['a', new Uint8Array([1])]]));
  const get = (key: string) =>
    left-- > 0 ? Promise.reject(new Error('the connection broke')) : memory.get(key);
  const waits: number[] = [];
  const clock = { now: () => 0, wait: async (ms: number) => void waits.push(ms) };
  const asked = patientTarget({ ...memory, get }, clock).get('a');
  if (succeeds) expect(await asked).toEqual(new Uint8Array([1]));
  else expect(await settled(asked)).toThrow('the connection broke');
  expect(waits).toHaveLength(Math.min(failures, 3));
});
