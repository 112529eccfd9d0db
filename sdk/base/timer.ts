/** A pending timer must not keep a program of Node alive, unless something that the program asked for waits for it. */
export function timer(milliseconds: number, work: () => void, isAwaited = false): () => void {
  // Runtimes take a delay of more than 31 bits for none.
  const handle: unknown = setTimeout(work, Math.min(milliseconds, 2147483647));
  if (!isAwaited) (handle as { unref?: () => void }).unref?.();
  return () => clearTimeout(handle as number);
}

/** Waits for work, but not longer than that, in real time: what hangs is the network. */
export const within = (milliseconds: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, new Promise<void>((resolve) => void timer(milliseconds, resolve))]);
