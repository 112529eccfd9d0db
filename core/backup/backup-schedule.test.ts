import { expect, test } from 'bun:test';
import { BackupAttempts, backupName, expiredBackups, isBackupDue, retryMs } from './backup-schedule.ts';
import type { LastBackup } from './last-backup.ts';

const hour = 3_600_000;
const at = (time: number): LastBackup => ({ at: time, file: 'x', bytes: 1 });

test.each<[what: string, last: LastBackup | undefined, now: number, every: number, due: boolean]>([
  ['never backed up', undefined, 0, 24, true],
  ['never backed up, none asked for', undefined, 0, 0, false],
  ['one hour ago, daily', at(0), hour, 24, false],
  ['a moment before the day is over', at(0), 24 * hour - 1, 24, false],
  ['a day ago', at(0), 24 * hour, 24, true],
  ['of a clock that was ahead', at(50 * hour), hour, 24, true],
  ['long ago, none asked for', at(0), 1_000 * hour, 0, false],
])('a backup is due: %s', (_what, last, now, every, due) => {
  expect(isBackupDue(last, now, every)).toBe(due);
});

test('names sort by time, and say that an archive is encrypted', () => {
  expect(backupName(Date.UTC(2026, 10, 22, 1, 2, 3, 4), [])).toBe('trivet-20261122T010203Z.tar.gz');
  expect(backupName(Date.UTC(2026, 10, 22, 1, 2, 3, 4), ['age1x'])).toBe(
    'trivet-20261122T010203Z.tar.gz.age',
  );
});

const day = (n: number) => `trivet-202611${String(n).padStart(2, '0')}T000000Z.tar.gz`;

test.each<[what: string, names: string[], keep: number, expired: string[]]>([
  ['fewer than are kept', [day(1), day(2)], 3, []],
  ['the oldest go', [day(3), day(1), day(4), day(2)], 2, [day(1), day(2)]],
  ['encrypted ones count', [day(1), `${day(2)}.age`, day(3)], 2, [day(1)]],
  ['what a person named stays', ['before-upgrade.tar.gz', 'trivet-old.tar.gz', day(1), day(2)], 1, [day(1)]],
  ['of a clock that was ahead', [day(1), day(2), day(21), day(22)], 1, [day(1)]],
  ['unfinished ones are none', [`${day(1)}.part`, '.trivet-backup-x', day(2)], 1, []],
])('retention: %s', (_what, names, keep, expired) => {
  expect(expiredBackups(names, keep, Date.UTC(2026, 10, 20))).toEqual(expired);
});

test.each([
  [1, 5],
  [2, 10],
  [4, 40],
  [7, 320],
  [8, 360],
  [1_000, 360],
])('after %i failures the next attempt waits %i minutes', (failures, minutes) => {
  expect(retryMs(failures)).toBe(minutes * 60_000);
});

const minute = 60_000;

/** A server that makes a backup each hour and has failed twice, the second time after five minutes: it waits ten. */
function failedTwice(): BackupAttempts {
  const attempts = new BackupAttempts();
  attempts.failed(0);
  attempts.failed(5 * minute);
  return attempts;
}

test('a server that failed waits, and says so until the backup is made', () => {
  const attempts = failedTwice();
  const seen = (now: number) => [attempts.isTurn(undefined, now, 1), attempts.isFailing(undefined, now, 1)];
  expect(seen(15 * minute - 1)).toEqual([false, true]);
  expect(seen(15 * minute)).toEqual([true, true]);
  attempts.succeeded();
  expect(seen(15 * minute)).toEqual([true, false]);
});

test('a backup that somebody else made ends the failures, and the next one begins with the shortest wait', () => {
  const attempts = failedTwice();
  const made = at(6 * minute);
  expect(attempts.isFailing(made, 6 * minute, 1)).toBe(false);
  const due = 66 * minute;
  expect([attempts.isTurn(made, due, 1), attempts.isFailing(made, due, 1)]).toEqual([true, false]);
  attempts.failed(due);
  expect(attempts.isTurn(made, due + 5 * minute - 1, 1)).toBe(false);
  expect(attempts.isTurn(made, due + 5 * minute, 1)).toBe(true);
});

test('a server that waits for hours makes the backup that is due after one of somebody else', () => {
  const attempts = new BackupAttempts();
  for (let failures = 0; failures < 8; failures++) attempts.failed(0);
  const made = at(minute);
  expect(attempts.isTurn(made, 2 * minute, 1)).toBe(false);
  expect(attempts.isTurn(made, 61 * minute, 1)).toBe(true);
});

/** @see A server whose clock was ahead at its start, when a backup failed, made none until it was as late as then. */
test.each([
  ['while the wait lasts', 40 * hour, 40 * hour + 4 * minute, false],
  ['after the clock was set back by less than the longest wait', 40 * hour, 38 * hour, false],
  ['after it was set back by more', 40 * hour, hour, true],
])('a failed backup is tried again: %s', (_what, failedAt, now, isTurn) => {
  const attempts = new BackupAttempts();
  attempts.failed(failedAt);
  expect(attempts.isTurn(undefined, now, 1)).toBe(isTurn);
});
