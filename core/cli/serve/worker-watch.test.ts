import { expect, test } from 'bun:test';
import { createLog } from '../../base/log.ts';
import { endWhenHung, type WatchedWorker } from './worker-watch.ts';

/* Mutation note: seen to fail when questions are not counted, and when a reply does not start the count anew. */

const intervalMs = 100;

test('a worker that replies is left alone; one that stands still is killed, and the log says so', async () => {
  const logged: string[] = [];
  const child = Bun.spawn([process.execPath, '-e', `process.on('message', (m) => process.send(m))`], {
    ipc: () => void (worker.missed = 0),
  });
  const worker: WatchedWorker = { child, missed: 0, send: (message) => void child.send(message) };
  // The first reply: it has loaded.
  worker.send('begin');
  worker.missed = 1;
  while (worker.missed > 0) await Bun.sleep(5);

  const watched = endWhenHung(
    worker,
    createLog('error', Date.now, (line) => void logged.push(line)),
    intervalMs,
  );
  await Bun.sleep(15 * intervalMs);
  expect({ exitCode: child.exitCode, logged }).toEqual({ exitCode: null, logged: [] });

  child.kill('SIGSTOP');
  await watched;
  expect(child.signalCode).toBe('SIGKILL');
  expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'error', event: 'worker_hung', worker: child.pid, seconds: 1 },
  ]);
});
