/** A write, as activities list it. */
interface Write {
  readonly activityId: number;
  readonly operation: string;
  readonly changes: ReadonlyArray<{ readonly field: string; readonly to?: unknown }>;
}

/** The write that a write took back; undefined: it took back none. */
export function targetOf({ operation, changes }: Write): number | undefined {
  if (operation !== 'undo-activity') return undefined;
  const to = changes.find(({ field }) => field === 'activity')?.to;
  return typeof to === 'number' ? to : undefined;
}

/**
 * The newest write that can be taken back and was not yet, also by another window or before a reload. Who took back an undo has done it
 * again, so it counts.
 * @param writes own ones, newest first. @param among the operations that are taken back.
 */
export function lastToUndo<W extends Write>(writes: readonly W[], among: ReadonlySet<string>): W | undefined {
  const gone = new Set<number>();
  for (const write of writes) {
    if (gone.has(write.activityId)) continue;
    const target = targetOf(write);
    if (target !== undefined) gone.add(target);
    else if (among.has(write.operation)) return write;
  }
  return undefined;
}
