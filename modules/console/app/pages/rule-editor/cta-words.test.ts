import { expect, test } from 'bun:test';
import { nextStatuses, ctaStatuses } from '../../../../cta/rules/lifecycle.ts';
import { keptTime, localText, scheduleText, statusAction, timeOfText } from './cta-words.ts';

const day = 86_400_000;
const now = 1_800_000_000_000;
const minute = new Date(2026, 10, 23, 10, 15).getTime();

/** @see What ended in 30 hours, on the day after tomorrow, ended "tomorrow". */
test.each([
  ['neither', null, null, 'No start or end'],
  ['a start to come', now + 2 * day, null, 'Starts in 2 days'],
  ['both past', now - 2 * day, now - day, 'Started 2 days ago, ended 1 day ago'],
  ['running', now - day, now + day, 'Started 1 day ago, ends in 1 day'],
  ['an end after the next day', null, now + 1.25 * day, 'Ends in 1 day'],
  ['only an end', null, now + 3 * day, 'Ends in 3 days'],
])('the schedule in words: %s', (_, startTime, endTime, words) =>
  expect(scheduleText({ startTime, endTime }, now)).toBe(words),
);

test('each legal change has a button, and no two of one status have the same', () => {
  for (const from of ctaStatuses) {
    const names = nextStatuses[from].map((to) => statusAction(from, to).action);
    expect(new Set(names).size).toBe(names.length);
  }
  expect(statusAction('PAUSED', 'LIVE').action).toBe('Resume');
});

test('a time goes through its field to the minute', () => {
  const at = new Date(2026, 10, 23, 10, 15).getTime();
  expect(localText(at)).toBe('2026-11-23T10:15');
  expect(timeOfText(localText(at))).toBe(at);
  expect([timeOfText(''), localText(null), localText('x')]).toEqual([null, '', '']);
});

/** @see Who changed the year of a start in the editor emptied the field: a browser reports the year 2 when the 2 of 2028 is typed. */
test.each(['0002-05-10T09:00', '0020-05-10T09:00', '0202-05-10T09:00', '2028-05-10T09:00'])(
  'a year that is being typed stays in its field: %s',
  (text) => expect(localText(timeOfText(text))).toBe(text),
);

/** @see Who scheduled a CTA that ended at 23:59:59 ended it a minute earlier, in a new version. */
test.each<[string, string, number | null, number | null]>([
  ['a minute', '2026-11-23T10:15', null, minute],
  ['another minute', '2026-11-23T10:15', minute + 60_000, minute],
  ['seconds that nobody changed', '2026-11-23T10:15', minute + 59_999, minute + 59_999],
  ['nothing', '', minute, null],
])('a field of %s', (_, text, known, at) => expect(keptTime(text, known)).toBe(at));
