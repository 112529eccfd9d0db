import { expect, test } from 'bun:test';
import { milestoneMoment, toldDays } from './milestone-moment.ts';

const dueOn = Date.UTC(2026, 10, 30);

test.each([
  ['2026-11-28T23:59:59.999Z', null],
  ['2026-11-29T00:00:00.000Z', 'due'],
  ['2026-11-30T00:00:00.000Z', 'due'],
  ['2026-11-30T23:59:59.999Z', 'due'],
  ['2026-12-01T00:00:00.000Z', 'overdue'],
  ['2026-12-07T23:59:59.999Z', 'overdue'],
  ['2026-12-08T00:00:00.000Z', null],
])('at %s a milestone whose last day is November 30 is %p', (text, moment) => {
  const now = Date.parse(text);
  expect(milestoneMoment(dueOn, now)).toBe(moment as never);
  const { from, to } = toldDays(now);
  // The query finds whatever the rule speaks of.
  if (moment !== null) expect(dueOn >= from && dueOn <= to).toBe(true);
});
