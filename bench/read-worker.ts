import { isMainThread, parentPort } from 'node:worker_threads';
import { connect, prepareReader } from '../core/db/sqlite/sqlite-connection.ts';

/*
 * The cost of a read-only worker: bun bench/read-worker.ts DIRECTORY [statements], with the data of bench/query.ts
 * (TRIVET_QUERY_DATA=DIRECTORY). It prints the memory of a process before and after a worker has opened the database and loaded the
 * operations (`statements`: only runs statements), the time to hand over one response, and how long the same scan blocks the event loop in
 * turns and in the worker. See docs/decisions/turns.md.
 */
const directory = process.argv[2] ?? '';
const scan =
  "select json_group_array(json_object('id', id, 'name', name, 'steps', steps)) as rows from testmgmt_tests where id between ? and ?";

if (!isMainThread) {
  // "statements": the worker runs the statements that it receives; otherwise it loads the operations and answers calls.
  const statementsOnly = process.argv.includes('statements');
  if (!statementsOnly) {
    const { testmgmt } = await import('../modules/testmgmt/manifest.ts');
    await Promise.all((testmgmt.operationFiles ?? []).map(({ load }) => load()));
  }
  const client = connect(directory, 'full');
  prepareReader(client, statementsOnly ? 8 : 64);
  client.query(scan).get(1, statementsOnly ? 500 : 50_000);
  parentPort?.on('message', (data: { from: number; to: number; bytes?: number }) => {
    const text =
      data.bytes === undefined
        ? (client.query(scan).get(data.from, data.to) as { rows: string }).rows
        : 'x'.repeat(data.bytes);
    parentPort?.postMessage(text);
  });
  parentPort?.postMessage('ready');
} else {
  const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);
  const { testmgmt } = await import('../modules/testmgmt/manifest.ts');
  await Promise.all((testmgmt.operationFiles ?? []).map(({ load }) => load()));
  const client = connect(directory, 'full');
  prepareReader(client, 64);
  client.query(scan).get(1, 50_000);
  Bun.gc(true);
  const before = megabytes();
  const began = performance.now();
  const worker = new Worker(import.meta.path, { argv: process.argv.slice(2) } as WorkerOptions);
  const answer = () =>
    new Promise<string>((resolve) => {
      worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data);
    });
  await answer();
  const startMs = performance.now() - began;
  const after = megabytes();
  const timed = async (work: () => Promise<unknown>) => {
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const since = performance.now();
    await work();
    const ms = performance.now() - since;
    clearInterval(beat);
    return `${ms.toFixed(1)} ms, the loop waits at most ${longest.toFixed(1)} ms`;
  };
  const ask = (message: object) => {
    const got = answer();
    worker.postMessage(message);
    return got;
  };
  const say = (what: string, figure: string) => process.stdout.write(`${what.padEnd(48)} ${figure}\n`);
  say('memory without and with the worker, MiB', `${before} → ${after}`);
  say('start of the worker', `${startMs.toFixed(0)} ms`);
  for (const bytes of [1_000, 100_000, 10_000_000])
    say(
      `an answer of ${bytes} bytes from the worker`,
      await timed(async () => {
        for (let n = 0; n < 20; n++) await ask({ bytes });
      }),
    );
  say('50,000 tests in the worker, as one text', await timed(() => ask({ from: 1, to: 50_000 })));
  say(
    '50,000 tests in turns of 500',
    await timed(async () => {
      for (let from = 1; from < 50_000; from += 500) {
        client.query(scan).get(from, from + 499);
        await new Promise((next) => setImmediate(next));
      }
    }),
  );
  worker.terminate();
}
