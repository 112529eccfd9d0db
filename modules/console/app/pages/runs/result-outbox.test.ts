import { expect, test } from 'bun:test';
import { waitingResults } from './result-outbox.ts';

const result = { testId: 7, status: 'failed', said: { comment: 'x' }, seenAt: null };

test.each<[name: string, stored: string | null, results: readonly unknown[]]>([
  ['nothing', null, []],
  ['no list', '{}', []],
  ['half a text', '[{', []],
  ['a result', JSON.stringify([result]), [result]],
  ['one without a note', JSON.stringify([{ ...result, said: null }, result]), [result]],
  ['another status', JSON.stringify([{ ...result, status: 'broken' }]), []],
  ['another id', JSON.stringify([{ ...result, testId: '7' }]), []],
  ['null', '[null]', []],
])('%s', (_, stored, results) => expect(waitingResults(stored)).toEqual(results as never));
