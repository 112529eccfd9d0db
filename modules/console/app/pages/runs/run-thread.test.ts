import { expect, test } from 'bun:test';
import { spokenResults } from './run-thread.ts';

const result = (status: 'passed' | 'failed', comment: string | null, by = 1) => ({
  resultId: 1,
  runId: 1,
  runName: 'Run',
  status,
  comment,
  by,
  byName: null,
  testVersion: 1,
  at: '2026-01-01T00:00:00.000Z',
});
const reported = [{ attempts: [{ status: 'failed' as const, at: '', message: 'Stack\n  at line 1\n' }] }];

test.each([
  [
    'each comment stays with its status and its author',
    [result('passed', null), result('failed', 'It says 500', 2)],
    [],
    ['failed 2 It says 500'],
  ],
  [
    'a comment hides no other',
    [result('failed', 'second'), result('failed', 'first', 2)],
    [],
    ['failed 1 second', 'failed 2 first'],
  ],
  ['own fields say something', [{ ...result('failed', null), fields: { device: 'A' } }], [], ['failed 1 ']],
  ['one that took the comment back says nothing', [result('passed', ''), result('failed', ' ')], [], []],
  [
    'what a pipeline reported stands there',
    [result('failed', 'Stack\n  at line 1'), result('failed', 'A person')],
    reported,
    ['failed 1 A person'],
  ],
])('%s', (_name, history, told, shown) =>
  expect(spokenResults(history, told).map(({ status, by, comment }) => `${status} ${by} ${comment}`)).toEqual(
    shown,
  ),
);
