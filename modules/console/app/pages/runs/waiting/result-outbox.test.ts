import { expect, test } from 'bun:test';
import { leftAfter, waitingResults, withResult, type WaitingResult } from './result-outbox.ts';

const result = { id: 'a', testId: 7, status: 'failed', said: { comment: 'x' }, seenAt: null };

test.each<[name: string, stored: string | null, results: readonly unknown[]]>([
  ['nothing', null, []],
  ['no list', '{}', []],
  ['half a text', '[{', []],
  ['a result', JSON.stringify([result]), [result]],
  [
    'one of an earlier version',
    JSON.stringify([{ ...result, id: undefined }]),
    [{ ...result, id: '[7,"failed",{"comment":"x"}]' }],
  ],
  ['one without a note', JSON.stringify([{ ...result, said: null }, result]), [result]],
  ['another status', JSON.stringify([{ ...result, status: 'broken' }]), []],
  ['another id', JSON.stringify([{ ...result, testId: '7' }]), []],
  ['null', '[null]', []],
])('%s', (_, stored, results) => expect(waitingResults(stored)).toEqual(results as never));

const passed: WaitingResult = { id: 'a', testId: 7, status: 'passed', said: {}, seenAt: null };
const failed: WaitingResult = { id: 'b', testId: 7, status: 'failed', said: { comment: 'x' }, seenAt: null };
const ofAnother: WaitingResult = { id: 'c', testId: 8, status: 'passed', said: {}, seenAt: null };
const at = '2026-11-01T09:00:00.000Z';

/** @see The last one of a test replaced those before it: a comment was gone when the values of its fields were stored after it. */
test.each<[name: string, all: WaitingResult[], next: WaitingResult, left: WaitingResult[]]>([
  ['the first one', [], passed, [passed]],
  ['a later one of the same test', [passed, ofAnother], failed, [passed, ofAnother, failed]],
  [
    'one that waits already',
    [passed, failed],
    { ...passed, seenAt: at },
    [{ ...passed, seenAt: at }, failed],
  ],
  ['the same once more', [passed], { ...passed, id: 'd' }, [passed, { ...passed, id: 'd' }]],
])('waits: %s', (_, all, next, left) => expect(withResult(all, next)).toEqual(left));

test.each<
  [name: string, all: WaitingResult[], answered: WaitingResult, at: string | undefined, left: WaitingResult[]]
>([
  ['the one', [passed, ofAnother], passed, at, [ofAnother]],
  ['the last one', [passed], passed, at, []],
  [
    'a later one of the test, made on what is stored now',
    [passed, failed],
    passed,
    at,
    [{ ...failed, seenAt: at }],
  ],
  ['a later one after a refusal', [passed, failed], passed, undefined, [failed]],
  ['the same once more', [passed, { ...passed, id: 'd' }], passed, at, [{ ...passed, id: 'd', seenAt: at }]],
  ['nothing waits', [], passed, at, []],
])('after the answer: %s', (_, all, answered, storedAt, left) =>
  expect(leftAfter(all, answered, storedAt)).toEqual(left),
);
