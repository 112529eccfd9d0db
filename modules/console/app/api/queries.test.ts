import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, Unreachable } from './call.ts';
import { queryClient } from './queries.ts';

test('no page says what a write makes stale: useChange and useWrite do', () => {
  const folder = join(import.meta.dir, '..');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      /\.tsx?$/.test(name) &&
      !name.startsWith('api/') &&
      /\b(?:invalidateQueries|refetchQueries|useMutation)\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(found).toEqual([]);
});

/** @see After 23 seconds without a network a page gave up, and said for good that the server cannot be reached. */
test('a server that is out of reach is asked until it is back, and a refusal is one', () => {
  const retry = queryClient.getDefaultOptions().queries?.retry;
  const asksAgain = (count: number, error: Error) => typeof retry === 'function' && retry(count, error);
  expect(asksAgain(10_000, new Unreachable())).toBe(true);
  expect(asksAgain(0, new Refusal(403, { code: 'FORBIDDEN', message: 'No.' }))).toBe(false);
});
