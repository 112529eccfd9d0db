import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { testmgmtSettings } from '../base/settings.ts';
import { deleteResultsUpTo, oldestResults } from './result-retention-store.ts';

/** How often to look for old results: one read of one chunk when there are none. */
export const retentionEveryMs = 60_000;
/** Chunks per run, so that a server that stops does not wait long. With 400 rows each, 2.4 million rows an hour. */
const maxChunksOfRun = 100;

/**
 * Deletes the status history that is older than `--result-keep`, with one transaction per chunk, so that other writes run in between. The
 * status of a test in a run is not part of the history.
 * @returns how many results were deleted.
 */
export async function deleteOldResults({ db, clock, config }: Host): Promise<number> {
  const keepMs = config.read(testmgmtSettings)['result-keep'] * 1_000;
  if (keepMs === 0) return 0;
  const before = clock.now() - keepMs;
  let deleted = 0;
  for (let chunk = 0; chunk < maxChunksOfRun; chunk++) {
    const last = (await oldestResults(db.q, before)).at(-1);
    if (last === undefined) break;
    deleted += await db.tx((q) => deleteResultsUpTo(q, last));
    if (turnIsOver()) await nextTurn();
  }
  return deleted;
}
