import { expect, test } from 'bun:test';
import { leftAfter, waitingResults, type WaitingResult } from './result-outbox.ts';

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

const passed: WaitingResult = { testId: 7, status: 'passed', said: {}, seenAt: null };
const failed: WaitingResult = { testId: 7, status: 'failed', said: { comment: 'x' }, seenAt: null };
const ofAnother: WaitingResult = { testId: 8, status: 'passed', said: {}, seenAt: null };
const at = '2026-11-01T09:00:00.000Z';

test.each<
  [name: string, all: WaitingResult[], answered: WaitingResult, at: string | undefined, left: WaitingResult[]]
>([
  ['the one', [passed, ofAnother], passed, at, [ofAnother]],
  ['the last one', [passed], passed, at, []],
  ['a later one of the test, made on what is stored now', [failed], passed, at, [{ ...failed, seenAt: at }]],
  ['a later one after a refusal', [failed], passed, undefined, [failed]],
  ['the same status with a comment', [failed], { ...failed, said: {} }, at, [{ ...failed, seenAt: at }]],
  ['nothing waits', [], passed, at, []],
])('after the answer: %s', (_, all, answered, storedAt, left) =>
  expect(leftAfter(all, answered, storedAt)).toEqual(left),
);
