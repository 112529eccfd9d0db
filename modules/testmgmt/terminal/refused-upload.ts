import { exit, exitCodeOf, Fault, UsageError } from '../../../core/base/errors.ts';

/**
 * A refusal of the server as a mistake of the caller, e.g. an unknown project or a locked run: nothing was written, and exit code 1 would say
 * that the results are stored and make the build fail.
 */
export async function unlessRefused<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Fault && error.status < 500 && exitCodeOf(error) === exit.failed)
      throw new UsageError(error.tip === '' ? error.message : `${error.message}\n${error.tip}`);
    throw error;
  }
}
