import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { announceServer, isServerFile, runningServer, runningServers } from './running-server.ts';

const module = JSON.stringify(join(import.meta.dir, 'running-server.ts'));

/** Processes that look for servers of a directory all the time, as commands do, until it ends. */
async function withLookers<T>(directory: string, count: number, work: () => T): Promise<T> {
  const lookers = Array.from({ length: count }, () =>
    Bun.spawn(
      [
        process.execPath,
        '--no-env-file',
        '--eval',
        `const { runningServers } = await import(${module});
         console.log('looking');
         for (;;) runningServers(${JSON.stringify(directory)});`,
      ],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
    ),
  );
  try {
    for (const { stdout } of lookers) await stdout.getReader().read();
    return work();
  } finally {
    for (const looker of lookers) looker.kill('SIGKILL');
    await Promise.all(lookers.map(({ exited }) => exited));
  }
}

test('a server is announced until it releases its file', () => {
  const directory = temporaryDirectory('announced');
  expect(runningServers(directory)).toEqual([]);
  const one = announceServer(directory, 'http://127.0.0.1:1', Date.now());
  const two = announceServer(directory, 'http://127.0.0.1:2', Date.now());
  expect(new Set(runningServers(directory).map(({ stem }) => stem))).toEqual(
    new Set([one?.stem, two?.stem].map(String)),
  );
  one?.release();
  expect(runningServer(directory)).toBe('http://127.0.0.1:2');
  two?.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a server without a directory of its own is not announced', () => {
  const place = temporaryDirectory('announced');
  writeFileSync(join(place, 'file'), '');
  for (const directory of ['none', 'file', 'file/data'])
    expect(announceServer(join(place, directory), 'http://127.0.0.1:1', Date.now())).toBeUndefined();
});

test('a server is announced, although others look for it at that moment', async () => {
  const directory = temporaryDirectory('announced');
  const missing = await withLookers(directory, 2, () => {
    let count = 0;
    for (let round = 0; round < 100; round++) {
      const announced = announceServer(directory, 'http://127.0.0.1:1', Date.now());
      if (runningServer(directory) === undefined) count++;
      announced?.release();
    }
    return count;
  });
  expect(missing).toBe(0);
  expect(readdirSync(directory).filter(isServerFile)).toEqual([]);
}, 60_000);

test('a server that was killed is not found, although others look for it at that moment', async () => {
  const directory = temporaryDirectory('announced');
  const killed = Bun.spawn(
    [
      process.execPath,
      '--no-env-file',
      '--eval',
      `const { announceServer } = await import(${module});
       globalThis.kept = announceServer(${JSON.stringify(directory)}, 'http://127.0.0.1:1', Date.now());
       console.log('announced');
       setInterval(() => {}, 1_000);`,
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  );
  await killed.stdout.getReader().read();
  const before = runningServer(directory);
  killed.kill('SIGKILL');
  await killed.exited;
  expect(before).toBe('http://127.0.0.1:1');
  const found = await withLookers(directory, 2, () => {
    let count = 0;
    for (let round = 0; round < 300; round++) if (runningServer(directory) !== undefined) count++;
    return count;
  });
  expect(found).toBe(0);
}, 60_000);
