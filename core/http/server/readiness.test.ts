import { expect, test } from 'bun:test';
import { startTestKernel } from '../../../test/kernel.ts';
import { fail } from '../../base/errors.ts';
import { defineModule } from '../../module/module.ts';
import { readinessOf } from './readiness.ts';

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

test('an answer has no path and no address; the log has the whole text', async () => {
  const failing = defineModule({
    name: 'failing',
    requires: ['auth'],
    ready: async () => {
      throw fail.STORAGE_FAILED('Only 52 KiB are free on the disk of /srv/place.', {
        tip: 'Free /srv/place.',
      });
    },
  });
  const server = await startTestKernel({ plugins: [failing] });
  const text = await (await fetch(`${server.origin}/readyz`)).text();
  expect(JSON.parse(text)).toMatchObject({
    error: {
      code: 'NOT_READY',
      cause: 'failing',
      message: 'The check "failing" fails with STORAGE_FAILED.',
    },
  });
  expect(text).not.toContain('/srv');
  const logged = server.logged.join('\n');
  expect(logged).toContain('Only 52 KiB are free on the disk of /srv/place.');
  expect(logged).toContain('Free /srv/place.');
  await server.stop();
});

/** @see A moment after the log had said that the storage works again, the answer that was kept said that it does not, and so did the log. */
test('a failure that is kept is over as soon as the storage works again', async () => {
  let failure: string | null = 'postgres_unreachable';
  const down = fail.STORAGE_FAILED('PostgreSQL cannot be reached.', { cause: 'postgres_unreachable' });
  const reading = defineModule({
    name: 'reading',
    requires: ['auth'],
    ready: () => (failure === null ? Promise.resolve() : Promise.reject(down)),
  });
  const { kernel, stop } = await startTestKernel({ plugins: [reading] });
  const { host } = kernel;
  const db = Object.assign(Object.create(host.db) as typeof host.db, { failing: () => failure });
  const { look } = readinessOf({ ...kernel, host: { ...host, db } });
  expect(await look()).toMatchObject({ name: 'reading' });
  failure = null;
  expect(await look()).toBeNull();
  await stop();
});
