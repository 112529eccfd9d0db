import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { startTestKernel } from '../../test/kernel.ts';
import { settled } from '../../test/rejection.ts';
import { fail } from '../base/errors.ts';
import type { Host } from '../host/host.ts';
import { perHost } from '../host/host.ts';
import { defineModule, type Module } from '../module/module.ts';

/** Modules that note the calls of their hooks. */
function traced(trace: string[], name: string, requires: string[], more: Partial<Module> = {}): Module {
  return defineModule({
    name,
    requires,
    start: async () => {
      trace.push(`start ${name}`);
      return async () => void trace.push(`stop ${name}`);
    },
    ...more,
  });
}

test('modules start after those they require, whatever the order they were named in, and stop the other way round', async () => {
  const trace: string[] = [];
  const plugins = [
    traced(trace, 'top', ['middle']),
    traced(trace, 'middle', ['bottom']),
    traced(trace, 'bottom', ['auth']),
  ];
  const { stop } = await startTestKernel({ plugins });
  expect(trace).toEqual(['start bottom', 'start middle', 'start top']);
  await stop();
  expect(trace.slice(3)).toEqual(['stop top', 'stop middle', 'stop bottom']);
});

test('a circle of requirements is named', async () => {
  const plugins = [traced([], 'one', ['two']), traced([], 'two', ['one'])];
  expect(await settled(startTestKernel({ plugins }))).toThrow(
    'Modules require each other in a circle: one → two → one.',
  );
});

test('a module that cannot start stops those that did', async () => {
  const trace: string[] = [];
  const broken = traced(trace, 'broken', ['fine'], {
    start: () => Promise.reject(fail.STORAGE_FAILED('no')),
  });
  expect(await settled(startTestKernel({ plugins: [broken, traced(trace, 'fine', ['auth'])] }))).toThrow(
    'no',
  );
  expect(trace).toEqual(['start fine', 'stop fine']);
});

/**
 * @see On a full disk, the note of --audit-export that failed at a stop ended it: nothing else was stopped, the exit code was 4, and there was
 * no line server_stopped.
 */
test('a module that cannot stop is logged, and the others stop', async () => {
  const trace: string[] = [];
  const broken = traced(trace, 'broken', ['fine'], {
    start: async () => () => Promise.reject(fail.STORAGE_FAILED('text that must not be logged')),
  });
  const { stop, logged } = await startTestKernel({ plugins: [broken, traced(trace, 'fine', ['auth'])] });
  await stop();
  expect(trace).toEqual(['start fine', 'stop fine']);
  const said = logged.filter((line) => line.includes('stop_incomplete'));
  expect(said).toMatchObject([expect.stringContaining('STORAGE_FAILED')]);
  expect(said.join('')).not.toContain('must not be logged');
});

test('a job that fails is logged and comes again; stopping waits for the one that runs', async () => {
  let runs = 0;
  let finished = 0;
  const third = Promise.withResolvers<void>();
  const job = {
    name: 'unreliable',
    everyMs: 5,
    run: async () => {
      runs++;
      if (runs === 3) third.resolve();
      if (runs === 1) throw new Error('text that must not be logged');
      await Bun.sleep(10);
      finished++;
    },
  };
  const { kernel, stop, logged } = await startTestKernel({
    plugins: [defineModule({ name: 'jobs', jobs: [job] })],
  });
  kernel.startJobs();
  await third.promise;
  await stop();
  expect(finished).toBe(runs - 1);
  const before = runs;
  await Bun.sleep(30);
  expect(runs).toBe(before);
  expect(logged.filter((line) => line.includes('job_failed'))).toHaveLength(1);
  expect(logged.join('')).not.toContain('must not be logged');
});

test('a job leaves nothing behind at the signal of its stop, however often it runs', async () => {
  let runs = 0;
  const listeners: number[] = [];
  const enough = Promise.withResolvers<void>();
  const job = {
    name: 'often',
    everyMs: 1,
    run: async (_: Host, signal: AbortSignal) => {
      listeners.push(getEventListeners(signal, 'abort').length);
      if (++runs === 20) enough.resolve();
    },
  };
  const { kernel, stop } = await startTestKernel({ plugins: [defineModule({ name: 'jobs', jobs: [job] })] });
  kernel.startJobs();
  await enough.promise;
  await stop();
  expect(Math.max(...listeners)).toBeLessThan(2);
});

test('a service is made once per kernel, not once per process', async () => {
  const made: Host[] = [];
  const service = perHost((host) => made.push(host));
  const [one, two] = [await startTestKernel(), await startTestKernel()];
  expect([service(one.kernel.host), service(one.kernel.host), service(two.kernel.host)]).toEqual([1, 1, 2]);
  await one.stop();
  await two.stop();
});
