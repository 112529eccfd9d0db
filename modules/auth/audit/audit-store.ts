import { sql, type SQL } from 'drizzle-orm';
import type { Role } from '../../../core/base/actor.ts';
import { lastIdOf, listedInt, listedRows, rowsValue } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { givenText } from '../../../core/db/query/given-value.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import {
  recordsAtOnce,
  type AuditedIds,
  type Surface,
  type WriteEntry,
} from '../../../core/base/write-entry.ts';
import { audit, auditRecords } from '../base/schema.ts';

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
  'invitation_revoked',
  'invitation_accepted',
  'role_changed',
  'status_changed',
  'user_merged',
  'user_erased',
  'identity_linked',
  'identity_removed',
  'key_rotated',
  'restored',
  'operation',
] as const;

/** One audit entry: ids and stable words only, no token, no e-mail address. */
interface AuditEntry {
  readonly event: Exclude<(typeof auditEvents)[number], 'operation'>;
  readonly userId?: number;
  /** The acting user, if not `userId`. */
  readonly actorId?: number;
  readonly sessionId?: string;
  readonly provider?: string;
  readonly cause?: string;
  /** The client address. */
  readonly address?: string;
  /** Of the records that it is about, e.g. the organization of a role. */
  readonly ids?: AuditedIds;
  /** The surface, unless it was a request from a signed-in caller. */
  readonly surface?: Surface;
}

/** Appends an entry in the transaction of the event, so that both are stored or neither. */
export async function writeAuditEntry(q: Query, at: number, event: AuditEntry): Promise<void> {
  const { ids, ...rest } = event;
  await insertEvent(q, { ...noDetail, at, ...rest, ids: ids ? JSON.stringify(ids) : null });
}

/** Appends the entry of a role that a user has from now on in an organization; null: none any more. @param by whoever or whatever gave it. */
export const writeRoleChange = (
  q: Query,
  at: number,
  { userId, orgId, role }: { readonly userId: number; readonly orgId: number; readonly role: Role | null },
  by: Pick<AuditEntry, 'actorId' | 'provider' | 'surface'>,
): Promise<void> =>
  writeAuditEntry(q, at, { event: 'role_changed', userId, cause: role ?? 'none', ids: { orgId }, ...by });

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
      // Encoded there: a JSON column would store null as a text.
      ids: sql`${sql.placeholder('ids')}`,
    }),
  'auth_audit_event',
);

/**
 * The maximum rows that one statement revokes. With three statements of 50 rows other requests wait for 20 ms at most; with 200 rows they
 * waited for 38 ms, and for 94 ms on a busy machine. To revoke 20,000 sessions takes the same time with both (measured).
 */
export const maxPerStatement = 50;

/** Appends several entries in one statement. At most {@link maxPerStatement}. */
export async function writeAuditEntries(q: Query, at: number, events: readonly AuditEntry[]): Promise<void> {
  if (events.length > 0) await q.insert(audit).values(events.map((event) => ({ at, ...event })));
}

const writeValues = {
  event: 'operation',
  at: sql.placeholder('at'),
  userId: sql.placeholder('actorId'),
  operation: sql.placeholder('operation'),
  ids: sql.placeholder('ids'),
  surface: sql.placeholder('surface'),
  credential: sql.placeholder('credential'),
  projectId: sql.placeholder('projectId'),
  runId: sql.placeholder('runId'),
  // Encoded here: a JSON column would store null as a text.
  changes: sql`${sql.placeholder('changes')}`,
  writeId: sql.placeholder('writeId'),
  client: sql.placeholder('client'),
};

// Every write of every module uses this statement: prepared once, it costs no more than the insert itself.
const insertWrite = prepared<Record<string, unknown>, never>(
  (q) => q.insert(audit).values(writeValues),
  'auth_audit_write',
);

const insertWriteWithId = prepared<Record<string, unknown>, { id: number }>(
  (q) => q.insert(audit).values(writeValues).returning({ id: audit.id }),
  'auth_audit_write_with_id',
);

const insertRecordsOf = (auditId: SQL, name: string) =>
  prepared<{ rows: string; kind: string; auditId?: number }, never>(
    (q) =>
      q
        .insert(auditRecords)
        .select(
          sql`select ${givenText('kind')}, ${listedInt(0)},
          cast(${auditId} as bigint) from ${listedRows('rows')} where true`,
        )
        .onConflictDoNothing(),
    name,
  );

const insertRecords = insertRecordsOf(sql`${sql.placeholder('auditId')}`, 'auth_audit_records');
const lastEntry = lastIdOf('auth_audit');
const insertRecordsOfLast = lastEntry && insertRecordsOf(lastEntry, 'auth_audit_records_of_last');

/**
 * Appends the entry of a write of any module, in its transaction, with the records by which it can be found. Yields to other requests
 * between chunks of records.
 */
export async function writeOperationEntry(
  q: Query,
  { subject, writeId = null, client = null, ...entry }: WriteEntry,
): Promise<void> {
  const { projectId = null, runId = null, records, changes } = subject ?? {};
  const values = {
    ...entry,
    writeId,
    client,
    projectId,
    runId,
    changes: changes ? JSON.stringify(changes) : null,
  };
  if (!records) return void (await insertWrite(q, values));
  const rowsOf = (ids: readonly number[]) => rowsValue(ids.map((id) => [id]));
  if (insertRecordsOfLast && records.ids.length <= recordsAtOnce) {
    // Started together: PostgreSQL gets both without a round trip for the id.
    const given = { rows: rowsOf(records.ids), kind: records.kind };
    return void (await Promise.all([insertWrite(q, values), insertRecordsOfLast(q, given)]));
  }
  const [stored] = await insertWriteWithId(q, values);
  if (!stored) throw new Error('the audit entry was not stored');
  for await (const ids of partsInTurns(records.ids, recordsAtOnce))
    await insertRecords(q, { rows: rowsOf(ids), kind: records.kind, auditId: stored.id });
}
