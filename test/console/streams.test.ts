import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { openWorld, type ConsoleWorld } from './world.ts';

/* The changes of a run as a stream: the cost of a client that does not read, and when a stream ends. */

let world: ConsoleWorld;
let cookie: string;
let projectId: unknown;
let runId: unknown;
let beginning: string;
beforeAll(async () => {
  world = await openWorld();
  cookie = await world.cookie();
  ({ projectId } = await world.must('create-project', { orgId: 1, projectName: 'Streams' }));
  const testIds: number[] = [];
  for (const part of [0, 1]) {
    const tests = Array.from({ length: 5_000 }, (_, n) => ({ testName: `Test ${part * 5_000 + n}` }));
    const made = await world.must('bulk-add-tests', { projectId, tests });
    testIds.push(...(made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId));
  }
  ({ runId } = await world.must('create-run', { projectId, runName: 'All', testIds }));
  ({ cursor: beginning } = (await world.must('get-run-changes', { projectId, runId })) as { cursor: string });
  const comment = 'what was seen '.repeat(70);
  for (let from = 0; from < testIds.length; from += 5_000) {
    const testResults = testIds
      .slice(from, from + 5_000)
      .map((testId) => ({ testId, status: 'failed', comment }));
    await world.must('run-update-test-status', { projectId, runId, testResults });
  }
}, 120_000);
afterAll(() => world.stop());

const path = (after?: string) =>
  `/console/run-changes?projectId=${String(projectId)}&runId=${String(runId)}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`;
const headers = (of = cookie) => ({ cookie: of, origin: world.origin, 'x-trivet-console': '1' });

const residentMiB = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${world.pid()}/status`, 'utf8'))?.[1]) / 1024;

/** Requests everything that changed, and reads none of it. */
async function silentReader(): Promise<Socket> {
  const { hostname, port } = new URL(world.origin);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.pause();
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers() }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`GET ${path(beginning)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

test('20 streams that nobody reads cost a few pages of changes, and the others do not wait', async () => {
  const before = residentMiB();
  const sockets = await Promise.all(Array.from({ length: 20 }, silentReader));
  let longest = 0;
  for (const until = performance.now() + 4_000; performance.now() < until;) {
    const askedAt = performance.now();
    await (await fetch(`${world.origin}/healthz`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - askedAt);
    await Bun.sleep(5);
  }
  const more = residentMiB() - before;
  for (const socket of sockets) socket.destroy();
  expect({ more: more < 250 ? 'bounded' : `${more.toFixed(0)} MiB` }).toEqual({ more: 'bounded' });
  expect({ longest: longest < 500 ? 'short' : `${longest.toFixed(0)} ms` }).toEqual({ longest: 'short' });
}, 60_000);

test('a stream that is read brings every change', async () => {
  const response = await fetch(`${world.origin}${path(beginning)}`, { headers: headers() });
  const seen = new Set<number>();
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      const changes = JSON.parse(data ?? '{}') as { results?: Array<{ testId: number }> };
      for (const { testId } of changes.results ?? []) seen.add(testId);
    }
    if (seen.size >= 10_000) break;
  }
  expect(seen.size).toBe(10_000);
}, 60_000);

test.each([
  [
    'the sign-out',
    async (of: string) => {
      const answer = await fetch(`${world.origin}/console/sign-out`, {
        method: 'POST',
        headers: headers(of),
        redirect: 'manual',
      });
      expect(answer.status).toBeLessThan(400);
    },
  ],
  [
    'the removal of the member',
    async () => {
      const { users } = (await world.must('get-all-users', {})) as {
        users: Array<{ userId: number; email: string }>;
      };
      const leaver = users.find(({ email }) => email === 'leaver@example.org');
      await world.must('remove-member', { orgId: 1, userId: leaver?.userId });
    },
  ],
])(
  'a stream ends within 2 s of %s',
  async (_, leave) => {
    const email = 'leaver@example.org';
    await world.member(email);
    const own = await world.cookie(email);
    const response = await fetch(`${world.origin}${path()}`, { headers: headers(own) });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    await reader?.read();
    await leave(own);
    const leftAt = performance.now();
    while (!(await reader?.read())?.done);
    expect(performance.now() - leftAt).toBeLessThan(2_000);
  },
  30_000,
);
