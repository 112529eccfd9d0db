import { expect, test } from 'bun:test';
import { drawingOf, lineThrough } from './machine-layout.ts';

const rule = {
  stateTransition: {
    opened: {
      '0': [
        {
          transitionTo: '1',
          filters: {
            operator: 'AND',
            filter: [{ propertyName: 'amount', comparisonType: '>', comparisonValue: 50 }],
          },
        },
      ],
      '1': [{ transitionTo: '1' }, { transitionTo: '0' }],
    },
    closed: { '1': [{ transitionTo: '0' }] },
  },
  stateToAction: { '1': 'offer' },
  resetStates: ['2'],
};

test('every state and transition has its own place, also loops and two of the same ends', () => {
  const { width, height, states, transitions } = drawingOf(rule);
  expect(states.map(({ lines }) => lines)).toEqual([
    ['Start', '0 · start'],
    ['Shows offer', '1', '▶ offer'],
    ['Unreachable', '2 · reset'],
  ]);
  expect(transitions.map(({ lines }) => lines)).toEqual([
    ['opened', 'if amount > 50'],
    ['opened'],
    ['opened'],
    ['closed'],
  ]);
  const places = [...states, ...transitions.map(({ label }) => label)].map(({ x, y }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
  for (const { x, y } of states) expect([x > 0 && x < width, y > 0 && y < height]).toEqual([true, true]);
  expect(transitions.every(({ line }) => /^M [\d.-]+ [\d.-]+ [QL]/.test(line))).toBe(true);
});

test('a state says how many users were in it', () =>
  expect(drawingOf(rule, new Map([['1', 1_026]])).states.map(({ lines }) => lines)[1]).toEqual([
    'Shows offer',
    '1',
    '▶ offer',
    '1,026 users',
  ]));

test('a rule of no transition is the initial state', () =>
  expect(drawingOf({}).states.map(({ lines }) => lines)).toEqual([['Start', '0 · start']]));

test.each([
  [[], ''],
  [
    [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
    'M 0.0 0.0 L 1.0 1.0',
  ],
  [
    [
      { x: 0, y: 0 },
      { x: 2, y: 0 },
      { x: 4, y: 4 },
    ],
    'M 0.0 0.0 Q 2.0 0.0 4.0 4.0',
  ],
])('a line through points', (points, line) => expect(lineThrough(points)).toBe(line));
