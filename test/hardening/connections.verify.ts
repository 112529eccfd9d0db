import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { launchPath, liveCta, startServed, type Served } from '../served.ts';
import { ran } from '../verify/scale.ts';

/*
 * Connections that cost the sender nothing: thousands of idle ones, and requests that never end (slow loris). The server keeps serving
 * others, and each of these connections is closed in the end. Measured on Bun 1.4.5: a request with an incomplete head is closed after
 * about 10 s, whatever is sent meanwhile; one with an incomplete body, and an idle one, after `idleTimeout` (60 s), which single bytes do
 * not extend.
 *
 * Mutation note: seen to fail with `idleTimeout: 0` in core/http/server/serve.ts (the bodies that never end stay open).
 */
const idle = 10_000;
const headSeconds = 30;
const bodySeconds = 120;

interface Held {
  readonly socket: Socket;
  closedAfter: number | null;
}

/** Opens a connection, sends `first` at once and `drip` every two seconds, and waits for its end. */
function hold(served: Served, first: string, drip = ''): Promise<Held> {
  const { hostname, port } = new URL(served.running.origin);
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const held: Held = { socket: connect(Number(port), hostname), closedAfter: null };
    const { socket } = held;
    const dripping = drip === '' ? undefined : setInterval(() => socket.write(drip), 2000);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      clearInterval(dripping);
      held.closedAfter ??= (performance.now() - startedAt) / 1000;
      resolve(held);
    });
    socket.on('connect', () => {
      if (first !== '') socket.write(first);
      resolve(held);
    });
  });
}

const head = 'Host: localhost\r\nContent-Type: application/json\r\nauth-userid: 1\r\napi_version: 1\r\n';
const loris: ReadonlyArray<readonly [string, string, string, number]> = [
  ['half a request line', 'GET /hea', '', headSeconds],
  ['a head that never ends', `POST ${launchPath} HTTP/1.1\r\n${head}`, 'X-More: yes\r\n', headSeconds],
  [
    'an announced body that never comes',
    `POST ${launchPath} HTTP/1.1\r\n${head}Content-Length: 100000\r\n\r\n{`,
    '',
    bodySeconds,
  ],
  [
    'an announced body, byte by byte',
    `POST ${launchPath} HTTP/1.1\r\n${head}Content-Length: 100000\r\n\r\n`,
    ' ',
    bodySeconds,
  ],
  [
    'a chunked body, byte by byte',
    `POST ${launchPath} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
    '1\r\n \r\n',
    bodySeconds,
  ],
  ['an answered request, then nothing', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n', '', bodySeconds],
];

test('thousands of idle connections, and requests that never end', async () => {
  const served = await startServed();
  await liveCta(served);
  const held: { readonly title: string; readonly most: number; readonly held: Held }[] = [];
  for (const [title, first, drip, most] of loris) {
    for (let copy = 0; copy < 20; copy++) held.push({ title, most, held: await hold(served, first, drip) });
  }
  const idlers: Held[] = [];
  const allowed = Math.min(idle, (await descriptors(served.running.pid)) - 1000);
  for (let opened = 0; opened < allowed; opened += 500) {
    const batch = Array.from({ length: Math.min(500, allowed - opened) }, () => hold(served, ''));
    idlers.push(...(await Promise.all(batch)));
  }
  const open = () => idlers.filter(({ closedAfter }) => closedAfter === null).length;
  const mostOpen = open();
  // Others are served meanwhile, on new and on existing connections.
  let slowest = 0;
  for (let user = 1; user <= 200; user++) {
    const askedAt = performance.now();
    const { status } = await served.post(launchPath, {}, { 'auth-userid': String(user), api_version: '1' });
    expect(status).toBe(200);
    slowest = Math.max(slowest, performance.now() - askedAt);
  }
  expect(mostOpen).toBeGreaterThan(allowed * 0.9);
  expect(slowest).toBeLessThan(5_000);
  ran(mostOpen, `idle connections at once; a launch meanwhile took at most ${Math.round(slowest)} ms`);

  const giveUpAt = performance.now() + bodySeconds * 1000;
  while (performance.now() < giveUpAt && (open() > 0 || held.some((each) => each.held.closedAfter === null)))
    await Bun.sleep(250);
  expect(open()).toBe(0);
  const longest = new Map<string, number>();
  for (const { title, held: each } of held)
    longest.set(title, Math.max(longest.get(title) ?? 0, each.closedAfter ?? Infinity));
  process.stdout.write(
    `figure: closed after ${[...longest].map(([title, s]) => `${title}: ${s.toFixed(0)} s`).join('; ')}\n`,
  );
  for (const { title, most, held: each } of held)
    expect([title, (each.closedAfter ?? Infinity) < most]).toEqual([title, true]);
  expect((await fetch(`${served.running.origin}/healthz`)).status).toBe(200);
  expect(await served.running.stop()).toBe(0);
  ran(held.length, 'connections whose request never ends were let go');
}, 600_000);

/** @see Finding: 600 held bodies of 1 MB took 735 MB, because each was kept in memory until its last byte. */
test('hundreds of bodies that are held back', async () => {
  const served = await startServed();
  await liveCta(served);
  const before = memory(served.running.pid);
  const bytes = 1_000_000;
  const body = `{"ctas":[],"x":"${'x'.repeat(bytes - 20)}`;
  const request = `POST ${launchPath} HTTP/1.1\r\n${head}Content-Length: ${bytes}\r\n\r\n${body}`;
  const held = await Promise.all(Array.from({ length: 600 }, () => hold(served, request)));
  let slowest = 0;
  let refused = 0;
  const until = performance.now() + 8_000;
  let most = 0;
  for (let user = 1; performance.now() < until; user++) {
    const askedAt = performance.now();
    // A body of the usual size, and one that needs a separate place.
    const padding = user % 2 === 0 ? '' : 'x'.repeat(100_000);
    const { status } = await served.post(
      launchPath,
      { padding },
      { 'auth-userid': String(user), api_version: '1' },
    );
    if (padding === '') expect(status).toBe(200);
    else if (status !== 200) refused++;
    slowest = Math.max(slowest, performance.now() - askedAt);
    most = Math.max(most, memory(served.running.pid) - before);
    await Bun.sleep(50);
  }
  expect(most).toBeLessThan(300);
  expect(slowest).toBeLessThan(5_000);
  // A client that occupies a place for longer than 3 s loses it to others.
  expect(
    (
      await served.post(
        launchPath,
        { padding: 'x'.repeat(100_000) },
        { 'auth-userid': '1', api_version: '1' },
      )
    ).status,
  ).toBe(200);
  for (const { socket } of held) socket.destroy();
  await served.running.stop();
  ran(
    held.length,
    `held bodies of 1 MB: ${most.toFixed(0)} MiB more; a launch meanwhile took at most ${Math.round(slowest)} ms, ${refused} of 100 KB refused`,
  );
}, 120_000);

/** Resident memory in MiB. */
const memory = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;

/** How many files the server may have open: the `ulimit -n` in effect at its start. */
async function descriptors(pid: number): Promise<number> {
  const limits = await Bun.file(`/proc/${pid}/limits`).text();
  return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
}
