import { expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
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
    runStream(trivet.kernel.host, run, { after: undefined, mayRead: async () => true }).body?.getReader();
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
