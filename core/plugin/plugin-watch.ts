import { writeSync } from 'node:fs';
import { exit, UsageError } from '../base/errors.ts';

/** How long a plugin may take to load, and again to start. Longer work belongs in a job. */
const startLimitMs = 10_000;

/** The thread waits a little longer: if the event loop still turns, the error is reported like any other. */
const marginMs = 500;

/**
 * Runs in a thread of its own, because a loop in a plugin stops the event loop of this one: then nothing here could say so, or end.
 * `_exit` ends the process with the exit code of a refused configuration; where the C library has another name, a signal does.
 */
const watchman = (order: { readonly ms: number; readonly text: string; readonly code: number }) => `
const { ms, text, code } = ${JSON.stringify(order)};
setTimeout(() => {
  try { require('node:fs').writeSync(2, text); } catch {}
  const libraries = { linux: ['libc.so.6', 'libc.so'], darwin: ['libSystem.B.dylib'] }[process.platform] ?? [];
  for (const library of libraries) try {
    require('bun:ffi').dlopen(library, { _exit: { args: ['i32'], returns: 'void' } }).symbols._exit(code);
  } catch {}
  process.kill(process.pid, 'SIGKILL');
}, ms);`;

/** Formats the error with which the process ends. */
export type ShownError = (message: string) => string;

/**
 * Runs what a plugin does while Trivet starts, for at most ten seconds: an endless loop, a promise that never settles, and a call of
 * `process.exit` abort the start with a clear error. Costs 2 ms and a thread, only when a plugin is loaded.
 * @param what e.g. `The plugin "notes" did not start`.
 * @throws UsageError; what `work` throws.
 */
export async function watchPlugin<T>(
  what: string,
  shown: ShownError,
  work: () => T | Promise<T>,
): Promise<T> {
  const message = `${what} within ${startLimitMs / 1000} s: it loops, or waits for something that does not come.`;
  const order = { ms: startLimitMs + marginMs, text: shown(message), code: exit.badArguments };
  const source = URL.createObjectURL(new Blob([watchman(order)], { type: 'application/javascript' }));
  const thread = new Worker(source, { smol: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UsageError(message)), startLimitMs);
  });
  const ended = () => {
    process.exitCode = exit.badArguments;
    // Pending output is discarded.
    writeSync(2, shown(`${what}: it ended the process. A plugin must not call process.exit.`));
  };
  process.once('exit', ended);
  const unhandled = Promise.withResolvers<never>();
  // An unhandled rejection would end the process with a stack.
  const refuse = (thrown: unknown) =>
    unhandled.reject(new UsageError(`${what}: ${thrown instanceof Error ? thrown.message : 'it threw'}`));
  process.on('unhandledRejection', refuse);
  process.on('uncaughtException', refuse);
  try {
    return await Promise.race([work(), late, unhandled.promise]);
  } finally {
    process.off('exit', ended);
    process.off('unhandledRejection', refuse);
    process.off('uncaughtException', refuse);
    clearTimeout(timer);
    thread.terminate();
    URL.revokeObjectURL(source);
  }
}
