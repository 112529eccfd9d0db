import { Fault, UsageError } from '../base/errors.ts';
import { storageFault } from '../base/foreign-errors.ts';
import type { Check, Job, Module, ModuleParts } from '../module/module.ts';
import { PluginFailure } from '../base/plugin-failure.ts';
import type { Operation } from '../tools/operation.ts';
import { nameRoutes } from './plugin-routes.ts';
import { watchPlugin, type ShownError } from './plugin-watch.ts';

/** How long a job or the end of a plugin may go on after a server was told to stop. */
const stopLimitMs = 5_000;

/**
 * Wraps the module of a plugin so that its errors name the plugin and it cannot delay a stop. Errors that the plugin declares, and storage
 * errors, are passed on unchanged.
 */
export function containPlugin(module: Module, path: string, shown: ShownError): Module {
  const { name, load } = module;
  const who = `The plugin "${name}" (${path})`;
  const parts = { ...module, ...partsOf(name, who, module, shown) };
  return load ? { ...parts, load: async () => partsOf(name, who, await load(), shown) } : parts;
}

function partsOf(name: string, who: string, parts: ModuleParts, shown: ShownError): ModuleParts {
  const { operations, routes, ready, jobs, checks, start, greeting } = parts;
  return {
    ...parts,
    ...(operations && { operations: operations.map((operation) => namedOperation(name, operation)) }),
    ...(routes && {
      routes: (app, host, toolsOf) =>
        saying(`${who} fails while it adds its routes`, () => routes(nameRoutes(name, app), host, toolsOf)),
    }),
    ...(ready && { ready: (host) => named(name, () => ready(host)) }),
    ...(jobs && { jobs: jobs.map((job) => namedJob(name, job)) }),
    ...(checks && { checks: checks.map((check) => namedCheck(name, check)) }),
    ...(start && {
      start: async (host) => {
        const stop = await watchPlugin(`${who} did not start`, shown, () =>
          saying(`${who} fails while it starts`, async () => start(host)),
        );
        return stop && (() => ended(name, stop(), stopLimitMs));
      },
    }),
    ...(greeting && { greeting: (host, to) => named(name, () => greeting(host, to)) }),
  };
}

/** Runs a function of a plugin. @throws PluginFailure for an error that is neither declared nor a storage error. */
async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFault(error) instanceof Fault ? error : PluginFailure.of(name, error);
  }
}

/** @throws UsageError with the original message; a storage failure unchanged. */
function saying<T>(what: string, work: () => T): T {
  const refuse = (error: unknown): never => {
    const known = storageFault(error);
    if (known instanceof Fault && known.status === 503) throw known;
    throw new UsageError(`${what}: ${error instanceof Error ? error.message : 'it threw'}`);
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(refuse) as T) : result;
  } catch (error) {
    return refuse(error);
  }
}

const namedOperation = (name: string, operation: Operation): Operation => ({
  ...operation,
  handler: (input, context) => named(name, async () => operation.handler(input, context)),
});

/** A job that continues after the stop is abandoned: the server ends without it. */
const namedJob = (name: string, job: Job): Job => ({
  ...job,
  run: (host, signal) =>
    named(name, async () => {
      const run = (async () => job.run(host, signal))();
      run.catch(() => {});
      const stopped = Promise.withResolvers<void>();
      const stop = () => stopped.resolve();
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
      try {
        await Promise.race([run, stopped.promise.then(() => ended(name, run, stopLimitMs))]);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }),
});

/** @throws PluginFailure on a timeout. */
async function ended(name: string, work: Promise<void>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const over = () => reject(new PluginFailure(name, `it did not stop within ${limitMs / 1000} s`));
    timer = setTimeout(over, limitMs);
  });
  try {
    await named(name, () => Promise.race([work, late]));
  } finally {
    clearTimeout(timer);
  }
}

/** A check that throws becomes a finding: the other checks of trivet doctor continue. */
const namedCheck = (name: string, check: Check): Check => ({
  ...check,
  run: async (host, options) => {
    try {
      return await check.run(host, options);
    } catch (error) {
      const known = storageFault(error);
      if (known instanceof Fault) throw known;
      const message = error instanceof Error ? error.message : 'it threw';
      return [
        {
          finding: 'plugin_check_failed',
          message: `The check "${check.name}" of the plugin "${name}" failed: ${message}.`,
          remedy: 'Report it to who wrote the plugin.',
        },
      ];
    }
  },
});
