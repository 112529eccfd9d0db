/** While a database is away, every request and every job fails: one line a minute says so, hundreds a second fill a disk. */
const lineEveryMs = 60_000;

/** @returns a function that calls `say` unless it has called one of the same kind less than a minute ago. */
export function oncePerMinute(): (kind: string, say: () => void) => void {
  const saidAt = new Map<string, number>();
  return (kind, say) => {
    if (performance.now() - (saidAt.get(kind) ?? -Infinity) < lineEveryMs) return;
    saidAt.set(kind, performance.now());
    say();
  };
}
