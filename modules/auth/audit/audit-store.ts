import { sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import type { Surface, WriteEntry } from '../../../core/write-entry.ts';
import { audit } from '../schema.ts';

/** The events of the audit log. Stable: clients filter by them. */
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
  'operation',
] as const;

/** One audit entry: ids and stable words only, no token, no e-mail address. */
interface AuditEntry {
  readonly event: Exclude<(typeof auditEvents)[number], 'operation'>;
  readonly userId?: number;
  /** The user who did it, if not `userId`. */
  readonly actorId?: number;
  readonly sessionId?: string;
  readonly provider?: string;
  readonly cause?: string;
  /** The client address. */
  readonly address?: string;
  /** The surface, unless it was a request of a signed-in caller. */
  readonly surface?: Surface;
}

/** Appends an entry in the transaction of the event, so that both are stored or neither. */
export async function writeAuditEntry(q: Query, at: number, event: AuditEntry): Promise<void> {
  await insertEvent(q, { ...noDetail, at, ...event });
}

const noDetail = {
  userId: null,
  actorId: null,
  sessionId: null,
  provider: null,
  cause: null,
  address: null,
  surface: null,
};

const insertEvent = prepared<Record<string, unknown>, never>(
  (q) =>
    q.insert(audit).values({
      event: sql.placeholder('event'),
      at: sql.placeholder('at'),
      userId: sql.placeholder('userId'),
      actorId: sql.placeholder('actorId'),
      sessionId: sql.placeholder('sessionId'),
      provider: sql.placeholder('provider'),
      cause: sql.placeholder('cause'),
      address: sql.placeholder('address'),
      surface: sql.placeholder('surface'),
    }),
  'auth_audit_event',
);

/** Rows that one statement revokes: a few milliseconds. */
export const maxPerStatement = 200;

/** Appends several entries in one statement. At most {@link maxPerStatement}. */
export async function writeAuditEntries(q: Query, at: number, events: readonly AuditEntry[]): Promise<void> {
  if (events.length > 0) await q.insert(audit).values(events.map((event) => ({ at, ...event })));
}

// Every write of every module uses this statement: prepared once, it costs no more than the insert itself.
const insertWrite = prepared<Record<string, unknown>, never>(
  (q) =>
    q.insert(audit).values({
      event: 'operation',
      at: sql.placeholder('at'),
      userId: sql.placeholder('actorId'),
      operation: sql.placeholder('operation'),
      ids: sql.placeholder('ids'),
      surface: sql.placeholder('surface'),
      credential: sql.placeholder('credential'),
    }),
  'auth_audit_write',
);

/** Appends a writing operation of any module, inside its transaction. */
export async function writeOperationEntry(q: Query, entry: WriteEntry): Promise<void> {
  await insertWrite(q, { ...entry });
}
