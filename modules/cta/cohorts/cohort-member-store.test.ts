import { expect, test } from 'bun:test';
import { array, assert, asyncProperty, integer } from 'fast-check';
import { sortUnique } from './cohort-member-store.ts';
import { settled } from '../../../test/rejection.ts';

const never = new AbortController().signal;

test('texts are sorted as JavaScript sorts them, each once, also those of several parts', async () => {
  const ids = array(integer({ min: -500, max: 50_000 }).map(String), { maxLength: 30_000, size: 'max' });
  await assert(
    asyncProperty(ids, async (texts) => {
      expect(await sortUnique(texts, never)).toEqual([...new Set(texts)].sort());
    }),
    { numRuns: 20 },
  );
  const many = Array.from({ length: 100_000 }, (_, n) => String((n * 7_919) % 60_000));
  expect(await sortUnique(many, never)).toEqual([...new Set(many)].sort());
});

test('a client that has gone ends the sorting', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  const many = Array.from({ length: 400_000 }, (_, n) => String(n));
  expect(await settled(sortUnique(many, gone))).toThrow('gone');
});
