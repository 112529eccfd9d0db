import { expect, test } from 'bun:test';
import { explanationText } from './explain-words.ts';

const of = { answered: false, variant: null, why: 'as the server says' };

test.each([
  [{ ...of, answered: true, gate: null }, 'Shown.', 'as the server says'],
  [{ ...of, answered: true, gate: null, variant: 'blue' }, 'Sent in the variant blue.', 'as the server says'],
  [{ ...of, gate: 'cohort' as const }, 'Cohorts: not sent.', 'as the server says'],
  [
    { ...of, answered: true, gate: 'relation' as const },
    'Tag relation: sent to the app, which does not show it.',
    'as the server says',
  ],
  [
    { ...of, gate: 'delivery.quiet_hours' as const },
    'Quiet hours: not sent.',
    'These are quiet hours in the time zone of the user.',
  ],
])('%j', (cta, word, why) => expect(explanationText(cta)).toEqual({ word, why }));

test.each(['holdout', 'kill_switch', 'delivery.min_gap', 'delivery.per_day'] as const)(
  'what closes %s is told without names of tools and parameters',
  (gate) =>
    expect(explanationText({ ...of, gate }).why).not.toMatch(/[a-z]-[a-z]|[a-z][A-Z](?!\w*s\b)|server/),
);

test('a time is told as one', () =>
  expect(explanationText({ ...of, gate: 'start', why: 'It starts at 1795996906083.' }).why).toMatch(
    /^It starts at .*2026.*\.$/,
  ));
