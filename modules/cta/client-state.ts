import { and, eq, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../core/db/db.ts';
import { fail } from '../../core/errors.ts';
import type { Host } from '../../core/host.ts';
import type { Client } from './headers.ts';
import { userStates } from './schema.ts';
import { emptyState, type UserState } from './state.ts';

/** Whose state: one row. */
export type StateKey = Pick<Client, 'tenantId' | 'userId'>;

/**
 * Bytes of JSON that are kept of one user: far above any real client (500 CTAs of a few machines each take some hundred
 * kilobytes), and a bound on what somebody can make every later request of that user read and join.
 */
const stateLimit = 4 * 1024 * 1024;

const rowOf = prepared<StateKey, { state: string }>(
  (q) =>
    q
      .select({ state: userStates.state })
      .from(userStates)
      .where(
        and(
          eq(userStates.tenantId, sql.placeholder('tenantId')),
          eq(userStates.userId, sql.placeholder('userId')),
        ),
      ),
  'cta_user_state',
);

const writeRow = prepared<StateKey & { state: string; updatedAt: number }, never>(
  (q) =>
    q
      .insert(userStates)
      .values({
        tenantId: sql.placeholder('tenantId'),
        userId: sql.placeholder('userId'),
        state: sql.placeholder('state'),
        updatedAt: sql.placeholder('updatedAt'),
      })
      .onConflictDoUpdate({
        target: [userStates.tenantId, userStates.userId],
        set: { state: sql`excluded.state`, updatedAt: sql`excluded.updated_at` },
      }),
  'cta_write_user_state',
);

/** What is kept of a user; the empty state when nothing is. */
export async function storedState(q: Query, { tenantId, userId }: StateKey): Promise<UserState> {
  const [row] = await rowOf(q, { tenantId, userId });
  return row ? (JSON.parse(row.state) as UserState) : emptyState;
}

/**
 * Moves a user's state on by `advance`, which answers its argument itself when there is nothing to change: then nothing
 * is written, and no transaction begins. Otherwise it is applied again, inside the transaction, to what is stored then,
 * so that concurrent changes of one user are all kept.
 * @throws Fault PAYLOAD_TOO_LARGE when the state would outgrow its limit; then nothing is written.
 */
export async function advanceState(
  { db, clock }: Host,
  key: StateKey,
  advance: (state: UserState) => UserState,
): Promise<UserState> {
  const seen = await storedState(db.q, key);
  if (advance(seen) === seen) return seen;
  return db.tx(async (q) => {
    const stored = await storedState(q, key);
    const next = advance(stored);
    if (next !== stored) await write(q, key, next, clock.now());
    return next;
  });
}

async function write(q: Query, { tenantId, userId }: StateKey, next: UserState, now: number): Promise<void> {
  const state = JSON.stringify(next);
  if (Buffer.byteLength(state) > stateLimit) {
    throw fail.PAYLOAD_TOO_LARGE(
      `The state of one user must not be larger than ${stateLimit} bytes; nothing was stored.`,
      { cause: 'state' },
    );
  }
  await writeRow(q, { tenantId, userId, state, updatedAt: now });
}
