import { inArray, lt } from 'drizzle-orm';
import type { Host } from '../../core/host.ts';
import { sessions, usedIdTokens } from './schema.ts';

/** How long a session that is over stays in the list of its user. The audit keeps what it did. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
/** So few at a time that a sign-in never waits long for the writer. */
const batch = 1_000;

/** Deletes sessions that have been over for 30 days and what is remembered of ID tokens that have expired. */
export async function removeExpired(host: Host): Promise<{ sessions: number; idTokens: number }> {
  const now = host.clock.now();
  const untilNone = async (some: () => Promise<number>) => {
    let all = 0;
    for (;;) {
      const removed = await some();
      all += removed;
      if (removed < batch) return all;
    }
  };
  return {
    sessions: await untilNone(() =>
      host.db.tx(async (q) => {
        const over = q
          .select({ id: sessions.id })
          .from(sessions)
          .where(lt(sessions.expiresAt, now - keptMs))
          .limit(batch);
        return (await q.delete(sessions).where(inArray(sessions.id, over)).returning({ id: sessions.id }))
          .length;
      }),
    ),
    idTokens: await untilNone(() =>
      host.db.tx(async (q) => {
        const over = q
          .select({ hash: usedIdTokens.hash })
          .from(usedIdTokens)
          .where(lt(usedIdTokens.expiresAt, now))
          .limit(batch);
        return (
          await q
            .delete(usedIdTokens)
            .where(inArray(usedIdTokens.hash, over))
            .returning({ hash: usedIdTokens.hash })
        ).length;
      }),
    ),
  };
}
