import { expect, test } from 'bun:test';
import { bytesText, durationText } from './amount-text.ts';

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_024, '1.0 KB'],
  [2_023_552, '1.9 MB'],
  [5 * 1024 ** 3, '5.0 GB'],
])('%p bytes are %p', (bytes, text) => expect(bytesText(bytes)).toBe(text));

test.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [61, '1 min 1 s'],
  [3_600, '1 h'],
  [90_061, '1 d 1 h'],
])('%p seconds are %p', (seconds, text) => expect(durationText(seconds)).toBe(text));
