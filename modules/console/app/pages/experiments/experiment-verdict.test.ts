import { expect, test } from 'bun:test';
import { differenceInterval, pooledP } from '../../../../cta/experiments/statistics.ts';
import { experimentVerdict, type Arm, type Results } from './experiment-verdict.ts';
import { pointsText, pText, rateText } from './experiment-words.ts';

type Counts = readonly [key: string, users: number, conversions: number];

/** As the server answers: the first arm is the baseline. */
function resultsOf(counts: readonly Counts[], more: Partial<Results> = {}): Results {
  const [base] = counts;
  const baseline = { users: base?.[1] ?? 0, conversions: base?.[2] ?? 0 };
  const arms = counts.map(([key, users, conversions], index): Arm => {
    const rate = users === 0 ? 0 : conversions / users;
    const baseRate = baseline.users === 0 ? 0 : baseline.conversions / baseline.users;
    const isBaseline = index === 0;
    const arm = { users, conversions };
    return {
      key,
      users,
      conversions,
      rate,
      difference: isBaseline ? null : rate - baseRate,
      lift: isBaseline || baseRate === 0 ? null : rate / baseRate - 1,
      interval: isBaseline ? null : [...differenceInterval(arm, baseline)],
      p: isBaseline ? null : pooledP(arm, baseline),
    };
  });
  return {
    arms,
    srm: { p: 0.5, warning: false },
    enough: counts.every(([, users, conversions]) => users >= 100 && conversions >= 10),
    multipleExposures: 0,
    sampleSize: 1_840,
    ...more,
  };
}

test.each<[string, Results, boolean, string, string]>([
  [
    'nobody came',
    resultsOf(
      [
        ['control', 0, 0],
        ['blue', 0, 0],
      ],
      { sampleSize: null },
    ),
    false,
    'wait',
    'Not enough yet: no user of the experiment has seen the CTA.',
  ],
  [
    'the smallest arm counts',
    resultsOf([
      ['control', 330, 33],
      ['blue', 312, 50],
    ]),
    false,
    'wait',
    'Not enough yet: 312 of 1,840 users an arm.',
  ],
  [
    'a difference before the planned end is not told',
    resultsOf([
      ['control', 1_500, 100],
      ['blue', 1_500, 400],
    ]),
    false,
    'wait',
    'Not enough yet: 1,500 of 1,840 users an arm.',
  ],
  [
    'it was stopped before',
    resultsOf([
      ['control', 1_500, 100],
      ['blue', 1_500, 400],
    ]),
    true,
    'wait',
    'It ended too early: 1,500 of 1,840 users an arm.',
  ],
  [
    'a plan is never below 100 users',
    resultsOf(
      [
        ['control', 80, 60],
        ['blue', 80, 60],
      ],
      { sampleSize: 40 },
    ),
    false,
    'wait',
    'Not enough yet: 80 of 100 users an arm.',
  ],
  [
    'few conversions',
    resultsOf([
      ['control', 2_000, 30],
      ['blue', 2_000, 9],
    ]),
    false,
    'wait',
    'Not enough yet: “blue” has 9 of at least 10 conversions.',
  ],
  [
    'a baseline without a conversion has no planned size',
    resultsOf(
      [
        ['control', 2_000, 0],
        ['blue', 2_000, 90],
      ],
      { sampleSize: null },
    ),
    false,
    'wait',
    'Not enough yet: “control” has 0 of at least 10 conversions.',
  ],
  [
    'an improvement that would exceed 100 %',
    resultsOf(
      [
        ['control', 2_000, 1_900],
        ['blue', 2_000, 1_910],
      ],
      { sampleSize: null },
    ),
    false,
    'wait',
    'Choose a smaller improvement: “control” converts 95.0 % already.',
  ],
  [
    'better',
    resultsOf([
      ['control', 5_200, 520],
      ['blue', 5_200, 629],
    ]),
    false,
    'better',
    '“blue” converts better than “control”: 12.1 % instead of 10.0 % (difference 0.9 to 3.3 points, p below 0.001).',
  ],
  [
    'worse',
    resultsOf([
      ['plain', 2_000, 240],
      ['blue', 2_000, 190],
    ]),
    true,
    'worse',
    '“blue” converts worse than “plain”: 9.5 % instead of 12.0 % (difference −4.4 to −0.6 points, p 0.011).',
  ],
  [
    'no difference',
    resultsOf([
      ['control', 2_000, 200],
      ['blue', 2_000, 204],
    ]),
    false,
    'no difference',
    'No difference was found: “blue” converts 10.2 %, “control” 10.0 % (difference −1.7 to 2.1 points, p 0.834).',
  ],
  [
    'the best of several',
    resultsOf([
      ['control', 2_000, 200],
      ['blue', 2_000, 300],
      ['red', 2_000, 340],
    ]),
    false,
    'better',
    '“red” converts better than “control”: 17.0 % instead of 10.0 % (difference 4.9 to 9.1 points, p below 0.001).',
  ],
  [
    'of several comparisons each must be more certain',
    resultsOf([
      ['a', 2_000, 200],
      ['b', 2_000, 240],
      ['c', 2_000, 201],
      ['d', 2_000, 199],
    ]),
    false,
    'no difference',
    'No difference was found: the variants convert 12.0 %, 10.1 %, 10.0 %, “a” 10.0 %.',
  ],
  [
    'arms of a wrong size come before everything',
    resultsOf(
      [
        ['control', 2_000, 200],
        ['blue', 2_600, 500],
      ],
      { srm: { p: 1e-9, warning: true } },
    ),
    false,
    'distrust',
    'Do not trust these figures: the arms are not as large as planned.',
  ],
])('%s', (_, results, isOver, kind, text) =>
  expect(experimentVerdict(results, isOver)).toMatchObject({ kind, text }),
);

test.each([
  [pText(0.05), 'p 0.050'],
  [pText(0.001), 'p 0.001'],
  [pText(0.0009), 'p below 0.001'],
  [rateText(0.1206), '12.1 %'],
  [pointsText(-0.0001), '0.0'],
  [pointsText(-0.0123), '−1.2'],
])('%s', (text, expected) => expect(text).toBe(expected));
