/** A value, or a promise of it. */
export type Ready<T> = T | Promise<T>;

const isPromise = (value: unknown): value is Promise<never> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/**
 * Goes on with a value: at once if it is there, so that reading the storage and acting on it stay one task, which no other tab and no
 * frozen page can interrupt.
 */
export function whenReady<T, R>(value: Ready<T>, use: (value: T) => Ready<R>): Ready<R> {
  return isPromise(value) ? (value as Promise<T>).then(use) : use(value as T);
}

/** Like `try`, also for a promise. */
export function attempt<T, R>(work: () => Ready<T>, caught: (error: unknown) => Ready<R>): Ready<T | R> {
  try {
    const value = work();
    return isPromise(value) ? (value as Promise<T>).then(undefined, caught) : value;
  } catch (error) {
    return caught(error);
  }
}
