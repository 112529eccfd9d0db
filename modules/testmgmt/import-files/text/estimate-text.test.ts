import { expect, test } from 'bun:test';
import { secondsOf } from './estimate-text.ts';

test.each([
  ['90', 90],
  [' 0 ', 0],
  ['30s', 30],
  ['45 sec', 45],
  ['5m', 300],
  ['1h 30m', 5_400],
  ['1 hour, 5 minutes', 3_900],
  ['1d', 28_800],
  ['2 weeks 1 day', 2 * 144_000 + 28_800],
  ['', undefined],
  ['soon', undefined],
  ['1x', undefined],
  ['-5', undefined],
  ['1.5h', undefined],
  ['1h x', undefined],
  [`${'1h '.repeat(30)}`, undefined],
])('%j is %p seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds as number));
