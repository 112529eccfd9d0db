/*
 * `expect(promise).rejects` waits in an event loop of its own, which sleeps to the next timer of the process at each pause of the work: 65
 * chunks of a file took 16 s beside an interval of 250 ms, and 0.2 s awaited.
 */

/** What a promise is rejected with. @throws if it is not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`It was not rejected: ${JSON.stringify(value)}`);
}

/** A function that returns or throws what a promise ended with. */
export async function settled<T>(promise: Promise<T>): Promise<() => T> {
  try {
    const value = await promise;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
