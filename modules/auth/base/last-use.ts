import { Fault } from '../../../core/base/errors.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';

/**
 * Stores when a token or a session was last used, if that is possible: whoever only reads goes on while the disk is full, and on a
 * standby.
 */
export async function noteUse(host: Host, statement: (q: Query) => Promise<void>): Promise<void> {
  if (host.db.refusal()) return;
  try {
    await host.db.write(statement);
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 503) throw error;
  }
}
