import type { Query } from '../../core/db/db.ts';
import { audit } from './schema.ts';

/** Everything that is recorded. Stable words: others filter by them. */
export const auditEvents = [
  'sign_in',
  'sign_in_failed',
  'refresh',
  'refresh_reuse',
  'session_revoked',
  'access_token_created',
  'access_token_revoked',
  'member_invited',
  'invitation_accepted',
  'role_changed',
  'status_changed',
  'key_rotated',
] as const;

/** One thing that happened. Ids and stable words only: no token, no address of a person. */
export interface AuditEvent {
  readonly event: (typeof auditEvents)[number];
  readonly userId?: number;
  /** Who did it, when that is somebody else than `userId`. */
  readonly actorId?: number;
  readonly sessionId?: string;
  readonly provider?: string;
  readonly cause?: string;
  /** Network address of the client. */
  readonly address?: string;
}

/** Appends an event inside the transaction of what it tells about: both are stored, or neither. */
export async function record(q: Query, at: number, event: AuditEvent): Promise<void> {
  await q.insert(audit).values({ at, ...event });
}
