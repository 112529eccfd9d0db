import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { testmgmtSettings } from '../base/settings.ts';
import { deleteOldOfPipelines } from './attachment-store.ts';
import { endIfUnused, pageOfUnused } from './blob-store.ts';
import { discardBlob } from './blob-writing.ts';

export const attachmentUpkeepEveryMs = 10 * 60_000;

/** A content that is being received, or was just stored, is used by nobody yet. */
const unusedMs = 10 * 60_000;

const rowsAtOnce = 500;

/**
 * Deletes attachments of pipelines that are older than `--attachment-keep`, contents that nothing refers to any more, and what a crash
 * left of an upload.
 * @returns how many attachments and contents were deleted.
 */
export async function deleteOldAttachments(
  host: Host,
): Promise<{ readonly attachments: number; readonly contents: number }> {
  const { db, clock, config } = host;
  const keepMs = config.read(testmgmtSettings)['attachment-keep'] * 1_000;
  let attachments = 0;
  if (keepMs > 0)
    for (;;) {
      const before = clock.now() - keepMs;
      const deleted = await db.tx((q) => deleteOldOfPipelines(q, before, rowsAtOnce));
      attachments += deleted;
      if (deleted < rowsAtOnce) break;
      if (turnIsOver()) await nextTurn();
    }
  let contents = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const { last, ids } = await pageOfUnused(db.q, { after, before: clock.now() - unusedMs });
    for (const id of ids) if (await deleteUnusedBlob(host, id)) contents++;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
  return { attachments, contents };
}

/** Deletes a content unless somebody uses it. @returns whether it was deleted. */
export async function deleteUnusedBlob(host: Pick<Host, 'db' | 'clock'>, blobId: number): Promise<boolean> {
  const before = host.clock.now() - unusedMs;
  if (!(await host.db.tx((q) => endIfUnused(q, blobId, before)))) return false;
  await discardBlob((work) => host.db.tx(work), blobId);
  return true;
}
