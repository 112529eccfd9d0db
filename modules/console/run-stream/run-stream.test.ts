import { expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import { signInLink } from '../../auth/index.ts';
import { moveInRun, peopleIn } from './run-presence.ts';
import { runStream } from './run-stream.ts';

test('a stream that nobody reads for 30 s breaks off, and one that is read goes on', async () => {
  const clock = stillClock();
  const trivet = await startTestKernel({ clock });
  const { call } = await toolsOf(trivet);
  const { projectId } = await call('create-project', { orgId: 1, projectName: 'Streams' });
  const { testId } = await call('create-test', { projectId, testName: 'Pay' });
  const { runId } = await call('create-run', { projectId, runName: 'One', testIds: [testId] });
  const run = { orgId: 1, projectId: Number(projectId), runId: Number(runId) };
  const open = () =>
    runStream(trivet.kernel.host, run, {
      after: undefined,
      userId: 1,
      window: undefined,
      mayRead: async () => true,
    }).body?.getReader();
  const [silent, reading] = [open(), open()];
  expect((await reading?.read())?.done).toBe(false);
  await Bun.sleep(50);
  clock.advance(31_000);
  // It sends a keep-alive, which the other one does not read.
  expect(new TextDecoder().decode((await reading?.read())?.value)).toBe(': alive\n\n');
  const broken = await silent?.read().then(
    () => silent.read(),
    (error: unknown) => error,
  );
  expect(broken).toBeInstanceOf(Error);
  await reading?.cancel();
  await trivet.stop();
}, 20_000);

test('a stream says who has the run open, and at which test, until they leave', async () => {
  const trivet = await startTestKernel();
  const { call } = await toolsOf(trivet);
  const { projectId } = await call('create-project', { orgId: 1, projectName: 'People' });
  const { testId } = await call('create-test', { projectId, testName: 'Pay' });
  const { runId } = await call('create-run', { projectId, runName: 'One', testIds: [testId] });
  const run = { orgId: 1, projectId: Number(projectId), runId: Number(runId) };
  const { host } = trivet.kernel;
  const open = (userId: number, window: string) => {
    const given = { after: undefined, userId, window, mayRead: async () => true };
    const reader = runStream(host, run, given).body?.getReader();
    const people = async (): Promise<unknown> => {
      const text = new TextDecoder().decode((await reader?.read())?.value);
      return text.startsWith('event: people\n') ? JSON.parse(text.split('data: ')[1] ?? '') : people();
    };
    return { people, leave: () => reader?.cancel() };
  };
  const ada = open(1, 'a');
  expect(await ada.people()).toEqual([{ userId: 1, testId: null }]);
  const bob = open(2, 'b');
  const both = [
    { userId: 1, testId: null },
    { userId: 2, testId: null },
  ];
  expect([await ada.people(), await bob.people()]).toEqual([both, both]);
  expect(moveInRun(host, { runId: run.runId, window: 'b', userId: 2 }, 7)).toBe(true);
  expect(await ada.people()).toEqual([
    { userId: 1, testId: null },
    { userId: 2, testId: 7 },
  ]);
  // The window of somebody else, one that is not open, and another run.
  const wrong = [
    { runId: run.runId, window: 'b', userId: 1 },
    { runId: run.runId, window: 'c', userId: 2 },
    { runId: 99, window: 'b', userId: 2 },
  ];
  expect(wrong.map((one) => moveInRun(host, one, 8))).toEqual([false, false, false]);
  await bob.leave();
  expect(await ada.people()).toEqual([{ userId: 1, testId: null }]);
  await ada.leave();
  expect(peopleIn(host, run.runId)).toEqual([]);
  await trivet.stop();
}, 20_000);

/** @see Each HEAD left a stream behind that never ended: after 20 of them the person could open no run until the next start. */
test('HEAD opens no stream', async () => {
  const trivet = await startTestKernel();
  const { call, owner } = await toolsOf(trivet);
  const { host } = trivet.kernel;
  const { projectId } = await call('create-project', { orgId: 1, projectName: 'Asked' });
  const { testId } = await call('create-test', { projectId, testName: 'Pay' });
  const { runId } = await call('create-run', { projectId, runName: 'One', testIds: [testId] });
  const { url } = await signInLink(host, { userId: owner.userId, path: '/console/sign-in' });
  const page = await trivet.fetch('/console/sign-in');
  const browser = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const signedIn = await trivet.fetch('/console/sign-in', {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: browser, origin: trivet.origin },
    body: new URLSearchParams({ code: url.split('#')[1] ?? '' }),
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = (method: string) =>
    trivet.fetch(`/console/run-changes?projectId=${projectId}&runId=${runId}`, {
      method,
      headers: { cookie, 'x-trivet-console': '1', 'sec-fetch-site': 'same-origin' },
      signal: AbortSignal.timeout(3_000),
    });
  for (let n = 0; n < 21; n++) {
    const { status, headers } = await ask('HEAD');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  }
  const stream = await ask('GET');
  expect(stream.status).toBe(200);
  await stream.body?.cancel();
  await trivet.stop();
}, 20_000);
