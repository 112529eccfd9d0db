import { asc, inArray, lt, lte } from 'drizzle-orm';
import type { Host } from '../../../core/host.ts';
import { audit, sessions, usedIdTokens } from '../schema.ts';
import { forgetSettledCode } from '../people/setup-code.ts';
import { authSettings } from '../settings.ts';

/** How long a session that is over stays in the list of its user. The audit keeps what it did. */
const keptMs = 30 * 24 * 60 * 60 * 1000;
/** So few at a time that a sign-in never waits long for the writer. */
const batch = 1_000;

/**
 * Deletes sessions that have been over for 30 days, what is remembered of ID tokens that have expired, and entries of the
 * audit that are older than `--audit-keep`, if that is set.
 */
export async function removeExpired(
  host: Host,
): Promise<{ sessions: number; idTokens: number; audit: number }> {
  await forgetSettledCode(host);
  const now = host.clock.now();
  const { 'audit-keep': auditKeep } = host.config.read(authSettings);
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
    audit:
      auditKeep === 0
        ? 0
        : await untilNone(() =>
            host.db.tx(async (q) => {
              // From the oldest on, which needs no index by time.
              const oldest = await q
                .select({ id: audit.id, at: audit.at })
                .from(audit)
                .orderBy(asc(audit.id))
                .limit(batch);
              const first = oldest.findIndex(({ at }) => at >= now - auditKeep * 1000);
              const over = first === -1 ? oldest : oldest.slice(0, first);
              const last = over.at(-1);
              if (last) await q.delete(audit).where(lte(audit.id, last.id));
              return over.length;
            }),
          ),
  };
}
