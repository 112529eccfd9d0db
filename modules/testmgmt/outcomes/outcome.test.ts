import { expect, test } from 'bun:test';
import type { TestStatus } from '../rules/test-status.ts';
import { advance, flakyFlips, forgetFlips, isFlaky, type Outcome } from './outcome.ts';

/*
 * A history in short form, oldest first: the run's number and p(assed), f(ailed), b(locked), r(etest), u(ntested); `change` is a change of
 * the test. Result n has the time n * 10.
 */
const statuses: Readonly<Record<string, TestStatus>> = {
  p: 'passed',
  f: 'failed',
  b: 'blocked',
  r: 'retest',
  u: 'untested',
};

function after(history: string): Outcome | undefined {
  const inRun = new Map<number, TestStatus[]>();
  let outcome: Outcome | undefined;
  let id = 0;
  for (const word of history.split(' ').filter((each) => each !== '')) {
    if (word === 'change') {
      outcome &&= forgetFlips(outcome);
      continue;
    }
    const runId = Number.parseInt(word, 10);
    const status = statuses[word.at(-1) ?? ''] ?? 'untested';
    const earlier = inRun.get(runId) ?? [];
    const newInRun = !earlier.some((each) => ['passed', 'failed', 'blocked'].includes(each));
    id++;
    const row = { id, runId, status, by: 7, at: id * 10, before: earlier.at(-1) ?? null, newInRun };
    outcome = advance(outcome, row);
    inRun.set(runId, [...earlier, status]);
  }
  return outcome;
}

const cases: ReadonlyArray<readonly [string, string, Partial<Outcome>]> = [
  [
    'the first',
    '1f',
    {
      lastStatus: 'failed',
      lastAt: 10,
      lastBy: 7,
      lastRunId: 1,
      lastResultId: 1,
      firstResultId: 1,
      recent: 'f',
      lastVerdict: 'f',
      failed: 1,
      flips: 0,
      runs: 1,
      streak: 1,
      failingSince: 10,
    },
  ],
  ['newest first', '1p 2b 3f', { recent: 'Fbp', lastVerdict: 'f', failed: 1, flips: 1, runs: 3, streak: 1 }],
  ['the same again is no flip', '1p 2p 3p', { recent: 'ppp', flips: 0, streak: 3, failingSince: null }],
  ['each difference is a flip', '1p 2f 3p 4f', { recent: 'FPFp', flips: 3, failed: 2 }],
  ['blocked decides nothing', '1p 2b 3p', { recent: 'pbp', flips: 0 }],
  ['nor does it hide a flip', '1p 2b 3f', { recent: 'Fbp', flips: 1 }],
  ['blocked alone', '1b 2b', { recent: 'bb', lastVerdict: null, flips: 0, failed: 0, streak: 2 }],
  [
    'retest is no outcome',
    '1p 1r',
    { lastStatus: 'retest', lastResultId: 2, recent: 'p', streak: 1, runs: 1 },
  ],
  ['after retest the same status counts', '1p 1r 1p', { recent: 'pp', streak: 2, runs: 1 }],
  ['untested alone', '1u', { lastStatus: 'untested', recent: '', runs: 0, streak: 0, lastVerdict: null }],
  [
    'only the comment changes',
    '1f 1f 1f',
    { recent: 'f', streak: 1, lastResultId: 3, lastAt: 30, failingSince: 10 },
  ],
  ['a comment in an older run', '1f 2p 1f', { recent: 'Pf', flips: 1, lastStatus: 'failed', lastRunId: 1 }],
  ['a run counts once', '1p 1f 2p 1p', { recent: 'pPFp', runs: 2, flips: 2 }],
  ['failing since the first of the row', '1f 2p 3f 4f 4r 5f', { failingSince: 30, streak: 3 }],
  ['blocked ends the row', '1f 2f 3b', { failingSince: null, streak: 1 }],
  [
    'a change forgets flips',
    '1p 2f 3p 4f change',
    { recent: 'fpfp', flips: 0, lastVerdict: null, failed: 2, changedAfter: 4 },
  ],
  [
    'the first after a change is no flip',
    '1p 2f change 3p',
    { recent: 'pfp', flips: 0, lastVerdict: 'p', changedAfter: 2 },
  ],
  ['the second after a change may be', '1p change 2f 3p', { recent: 'Pfp', flips: 1 }],
  ['a change keeps row and runs', '1f 2f change 3f', { streak: 3, failingSince: 10, runs: 3 }],
];

test.each(cases)('%s: %s', (_, history, expected) => expect(after(history)).toMatchObject(expected));

test('twenty outcomes are recent; what falls out is not counted', () => {
  const turns = Array.from({ length: 30 }, (_, n) => `${n}${n % 2 === 0 ? 'p' : 'f'}`);
  expect(after(turns.join(' '))).toMatchObject({ recent: 'FP'.repeat(10), failed: 10, flips: 20, runs: 30 });
  const passes = Array.from({ length: 20 }, (_, n) => `${n + 30}p`);
  expect(after([...turns, ...passes].join(' '))).toMatchObject({
    recent: `${'p'.repeat(19)}P`,
    failed: 0,
    flips: 1,
    runs: 50,
    streak: 20,
  });
});

test('three flips are flaky, two are an ordinary life', () => {
  expect(flakyFlips).toBe(3);
  const flaky = (history: string) => isFlaky(after(history) ?? { flips: 0 });
  expect(flaky('1p 2f 3p')).toBe(false);
  expect(flaky('1p 2f 3p 4f')).toBe(true);
  expect(flaky('1p 2f 3p 4f change')).toBe(false);
});
