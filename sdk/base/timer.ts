/** A pending timer must not keep a program of Node alive. */
export function timer(milliseconds: number, work: () => void): () => void {
  const handle: unknown = setTimeout(work, milliseconds);
  (handle as { unref?: () => void }).unref?.();
  return () => clearTimeout(handle as number);
}
