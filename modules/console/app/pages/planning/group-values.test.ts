import { expect, test } from 'bun:test';
import { mergedValues } from './group-values.ts';

/** "1a 2b": the value 1 is called a, the value 2 b. */
const values = (text: string) =>
  text
    .split(' ')
    .filter((value) => value !== '')
    .map((value) => ({ valueId: Number(value[0]), name: value.slice(1) }));

test.each([
  // Nobody else changed anything.
  ['1a 2b', '1a 2b', '1a 2b', '1a 2b'],
  ['1a 2b', '1c 2b', '1a 2b', '1c 2b'],
  ['1a 2b', '2b', '1a 2b', '2b'],
  // Somebody else added, renamed or removed one.
  ['1a 2b', '1c 2b', '1a 2b 3d', '1c 2b 3d'],
  ['1a 2b', '2b', '1a 2c 3d', '2c 3d'],
  ['1a 2b', '1c 2b', '1d 2b', '1c 2b'],
  ['1a 2b', '1a 2c', '1a', '1a'],
  ['1a 2b', '1a', '2b', ''],
])('%p that became %p here and %p elsewhere are %p', (read, typed, now, merged) =>
  expect(mergedValues(values(read), values(typed), values(now))).toEqual(values(merged)),
);
