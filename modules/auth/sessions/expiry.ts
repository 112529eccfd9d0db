import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { forgetSettledCode } from '../people/setup-code.ts';
import { exportedUpTo } from '../audit/audit-export-store.ts';
import { authSettings } from '../base/settings.ts';
import {
  expiredAtOnce,
  deleteEndedSessions,
  deleteExpiredIdTokens,
  deleteOldAuditEntries,
  deleteOldRequests,
  deleteOldRevocations,
  forgetInvitedAddresses,
} from './expiry-store.ts';

const hourMs = 60 * 60 * 1000;
/** An access token lives a day at most; the rest is for a setting that was changed, and for clocks. */
const revocationsKeptMs = 25 * hourMs;
const keptMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Deletes sessions that ended more than 30 days ago, expired used ID tokens, expired sign-ins by browser, the addresses of expired
 * invitations, revocations of which no access token can be alive, and audit entries older than `--audit-keep`, unless it is 0 or
 * `--audit-export` has not sent them.
 * @returns how many of each.
 */
export async function removeExpired(host: Host) {
  await forgetSettledCode(host);
  const now = host.clock.now();
  const { 'audit-keep': auditKeep } = host.config.read(authSettings);
  const target = host.config.read(authSettings)['audit-export'];
  const oldExported = async (q: Query, before: number) =>
    deleteOldAuditEntries(
      q,
      before,
      target === undefined ? Number.MAX_SAFE_INTEGER : await exportedUpTo(q, target),
    );
  const untilNone = async (deleteChunk: (q: Query, before: number) => Promise<number>, before: number) => {
    let all = 0;
    for (;;) {
      const deleted = await host.db.tx((q) => deleteChunk(q, before));
      all += deleted;
      if (deleted < expiredAtOnce) return all;
    }
  };
  return {
    sessions: await untilNone(deleteEndedSessions, now - keptMs),
    idTokens: await untilNone(deleteExpiredIdTokens, now),
    // Kept an hour beyond their expiry: a code presented again later still ends the session.
    signIns: await untilNone(deleteOldRequests, now - hourMs),
    invitedAddresses: await untilNone(forgetInvitedAddresses, now),
    revocations: await untilNone(deleteOldRevocations, now - revocationsKeptMs),
    audit: auditKeep === 0 ? 0 : await untilNone(oldExported, now - auditKeep * 1000),
  };
}
