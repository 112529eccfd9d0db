import { expect, test } from 'bun:test';
import { fail } from '../../base/errors.ts';
import { createLog } from '../../base/log.ts';
import { silent } from '../../metrics/recorder.ts';
import { storageHealth } from './storage-health.ts';

/** @see On a full disk of PostgreSQL, where small writes succeed, the log said three times a second that the storage works again. */
test('the log says that the storage works again once no write has failed for five seconds', () => {
  let now = 0;
  const events: string[] = [];
  const write = (line: string) => void events.push((JSON.parse(line) as { event: string }).event);
  const health = storageHealth(
    createLog('info', () => 0, write),
    silent,
    () => now,
  );
  const large = () => health.failed(fail.STORAGE_FAILED('Full.', { cause: 'out_of_resources', tip: '' }));
  for (let n = 0; n < 20; n++) {
    large();
    expect(health.failing()).toBe('out_of_resources');
    now += 300;
    health.worked();
    // Whoever asks meanwhile learns of the last write, as before.
    expect(health.failing()).toBeNull();
  }
  expect(events).toEqual(['storage_failed']);
  now += 4_600;
  health.worked();
  expect(events).toEqual(['storage_failed']);
  now += 200;
  health.worked();
  health.worked();
  expect(events).toEqual(['storage_failed', 'storage_works_again']);
});
