import type { Host } from './host.ts';

/** After an erasure has committed: its texts leave the files, too. When that has to wait, the log says how to hasten it. */
export async function forgetErased({ db, log }: Pick<Host, 'db' | 'log'>): Promise<void> {
  if (await db.forgetDeleted()) return;
  log.warn('erased_text_in_log', {
    remedy:
      'Another process reads the database. End it, or restart the server: the log of SQLite still has what was erased.',
  });
}
