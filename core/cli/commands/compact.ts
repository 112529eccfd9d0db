import { compactDatabase } from '../../db/sqlite/compaction.ts';
import { UsageError } from '../../base/errors.ts';
import { clientSettings } from '../../settings/settings.ts';
import { locationOf, print, type Invocation } from '../invocation/invocation.ts';

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** `trivet compact`: gives the unused space of the SQLite database back to the disk. */
export async function runCompact({ config }: Invocation): Promise<number> {
  const location = locationOf(config);
  if (location.engine === 'postgres')
    throw new UsageError(
      'PostgreSQL reuses space by itself (autovacuum). To give space back to the disk, stop the servers and run: psql "$URL" -c ' +
        "'VACUUM (FULL, ANALYZE)'. It locks each table and needs room for a copy of the largest one.",
    );
  const { before, after } = compactDatabase(location.directory);
  const { json } = config.read(clientSettings);
  if (json) return print(`${JSON.stringify({ before, after, freed: before - after })}\n`);
  return print(`The database had ${mebibytes(before)} and has ${mebibytes(after)}.\n`);
}
