import { errorFields, type Log } from '../../base/log.ts';

/**
 * Logs what nobody awaits or catches, e.g. in a timer of a plugin: `at` has its file. The server goes on. Ending it would let one mistake of
 * a plugin, or of a library, break every request in flight. Without this the runtime writes a stack with the message, which may quote data,
 * and the process ends with 1 when it is stopped later.
 * @returns a function that ends it.
 */
export function logUncaught(log: Log): () => void {
  const note = (thrown: unknown) => log.error('uncaught_error', errorFields(thrown));
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return () => {
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
  };
}
