import type { Host } from './host.ts';

/** Runs after an erasure has committed: removes its texts from the files, too. If that has to wait, the log says how to speed it up. */
export async function forgetErased({ db, log }: Pick<Host, 'db' | 'log'>): Promise<void> {
  if (await db.forgetDeleted()) return;
  log.warn('erased_text_in_log', {
    remedy:
      'Another process reads the database. End it, or restart the server: the log of SQLite still has what was erased. ' +
      'With --replicate the log is emptied once everything is at its target.',
  });
}
