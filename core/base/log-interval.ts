/**
 * While a database is unreachable, every request and job fails. Hundreds of log lines a second would fill the disk, so one a minute is
 * written.
 */
const lineEveryMs = 60_000;

/** @returns a function that calls `say`, at most once a minute for each kind. */
export function oncePerMinute(): (kind: string, say: () => void) => void {
  const saidAt = new Map<string, number>();
  return (kind, say) => {
    if (performance.now() - (saidAt.get(kind) ?? -Infinity) < lineEveryMs) return;
    saidAt.set(kind, performance.now());
    say();
  };
}
