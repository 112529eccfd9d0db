/** The duration of a test file; null: no run has it. */
export interface TimedFile {
  readonly file: string;
  readonly durationMs: number | null;
}

interface FileShard {
  /** By name. */
  readonly files: readonly string[];
  /** What they are expected to take. */
  readonly durationMs: number;
}

/**
 * Divides test files so that the shards take about the same time: the longest first, each to the shard that has least so far. Files without
 * a duration count as the median of the others. The same files and durations always give the same shards, in whatever order they come.
 */
export function shardsOf(given: readonly TimedFile[], total: number): readonly FileShard[] {
  const known = given.flatMap(({ durationMs }) => durationMs ?? []).toSorted((one, other) => one - other);
  const median = known[Math.floor(known.length / 2)] ?? 1;
  const ordered = given
    .map(({ file, durationMs }) => ({ file, durationMs: durationMs ?? median }))
    .toSorted((one, other) => other.durationMs - one.durationMs || (one.file < other.file ? -1 : 1));
  const shards = Array.from({ length: total }, () => ({ files: [] as string[], durationMs: 0 }));
  for (const { file, durationMs } of ordered) {
    // Files that take no time are spread, too.
    const least = shards.reduce((one, other) => {
      const isLess = other.durationMs - one.durationMs || other.files.length - one.files.length;
      return isLess < 0 ? other : one;
    });
    least.files.push(file);
    least.durationMs += durationMs;
  }
  return shards.map(({ files, durationMs }) => ({
    files: files.toSorted((one, other) => (one < other ? -1 : 1)),
    durationMs: Math.round(durationMs),
  }));
}

/**
 * The duration of a file by its path, also where a report and a machine name it from other folders: the path itself, else the only known
 * path that ends with it or with which it ends.
 */
export function durationFinder(known: ReadonlyMap<string, number>): (file: string) => number | null {
  const plain = (file: string) => file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const byPath = new Map([...known].map(([file, duration]) => [plain(file), duration]));
  const byName = Map.groupBy(byPath.keys(), nameOf);
  return (file) => {
    const path = plain(file);
    const exact = byPath.get(path);
    if (exact !== undefined) return exact;
    const like = (byName.get(nameOf(path)) ?? []).filter(
      (one) => one.endsWith(`/${path}`) || path.endsWith(`/${one}`),
    );
    const [only] = like;
    return only !== undefined && like.length === 1 ? (byPath.get(only) ?? null) : null;
  };
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
