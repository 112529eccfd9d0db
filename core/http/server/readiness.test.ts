import { expect, test } from 'bun:test';
import { startTestKernel } from '../../../test/kernel.ts';
import { defineModule } from '../../module/module.ts';

test('a check that hangs is named within seconds, and holds again when it has ended', async () => {
  const checks: Array<() => void> = [];
  let hangs = true;
  const hanging = defineModule({
    name: 'hanging',
    requires: ['auth'],
    ready: () => (hangs ? new Promise<void>((resolve) => checks.push(resolve)) : Promise.resolve()),
  });
  const server = await startTestKernel({ plugins: [hanging] });
  const ready = async () => {
    const began = performance.now();
    const response = await fetch(`${server.origin}/readyz`);
    const { status, error } = (await response.json()) as { status?: string; error?: object };
    return { status, error, ms: performance.now() - began };
  };
  const late = await ready();
  expect(late.error).toMatchObject({
    code: 'NOT_READY',
    cause: 'hanging',
    message: expect.stringContaining('has not ended within 3 seconds') as string,
  });
  expect(late.ms).toBeLessThan(5_000);
  // The check goes on, and nobody waits for it again.
  expect((await ready()).ms).toBeLessThan(1_000);
  expect(checks).toHaveLength(1);
  hangs = false;
  for (const end of checks) end();
  await Bun.sleep(10);
  expect(await ready()).toMatchObject({ status: 'ready' });
  await server.stop();
}, 30_000);
