import { and, eq, sql, type SQLWrapper } from 'drizzle-orm';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { prepared, type Db, type Query } from '../../../core/db/query/db.ts';
import { userStates } from '../base/schema.ts';
import type { Derived } from '../counts/derived-events.ts';
import { derivedParts, derivedValues, storeDerived, type DerivedValues } from '../counts/derived-store.ts';
import type { StateKey } from '../state/user-state.ts';

export type StoredRow = { readonly state: string; readonly updatedAt: number };

export const isOfKey = and(
  eq(userStates.tenantId, sql.placeholder('tenantId')),
  eq(userStates.userId, sql.placeholder('userId')),
);

/** A state to store, if the row is still the one that was seen, and what it shows. */
export interface StateWrite {
  readonly key: StateKey;
  readonly seen: StoredRow | undefined;
  readonly state: string;
  readonly now: number;
  readonly derived: Derived;
}

type Values = StateKey & StoredRow & { seenAt: number };
type Written = { tenantId: string };

const insertion = (q: Query) =>
  q
    .insert(userStates)
    .values({
      tenantId: sql.placeholder('tenantId'),
      userId: sql.placeholder('userId'),
      state: sql.placeholder('state'),
      updatedAt: sql.placeholder('updatedAt'),
    })
    .onConflictDoNothing()
    .returning({ tenantId: userStates.tenantId });

const insertRow = prepared<Values, Written>(insertion, 'cta_insert_user_state');

const isAsSeen = and(isOfKey, eq(userStates.updatedAt, sql.placeholder('seenAt')));

const replacement = (q: Query) =>
  q
    .update(userStates)
    .set({ state: sql`${sql.placeholder('state')}`, updatedAt: sql`${sql.placeholder('updatedAt')}` })
    .where(isAsSeen)
    .returning({ tenantId: userStates.tenantId });

const replaceRow = prepared<Values, Written>(replacement, 'cta_replace_user_state');

/** One statement that writes the state and, if it did, what that shows. A concurrent write of another process makes it write nothing. */
function withDerived(q: Query, write: SQLWrapper) {
  const written = q.$with('written', { tenantId: sql<string>`tenant_id`.as('tenant_id') }).as(write.getSQL());
  return q
    .with(written, ...derivedParts(q, sql`written`))
    .select({ tenantId: written.tenantId })
    .from(written);
}

const insertWithDerived = prepared<Values & DerivedValues, Written>(
  (q) => withDerived(q, insertion(q)),
  'cta_insert_state_and_events',
);

const replaceWithDerived = prepared<Values & DerivedValues, Written>(
  (q) => withDerived(q, replacement(q)),
  'cta_replace_state_and_events',
);

/** `updatedAt` grows with each write, even within a millisecond, so it identifies one state of the row. */
const valuesOf = ({ key: { tenantId, userId }, seen, state, now }: StateWrite): Values => ({
  tenantId,
  userId,
  state,
  updatedAt: seen ? Math.max(now, seen.updatedAt + 1) : now,
  seenAt: seen?.updatedAt ?? 0,
});

/** The rows of one statement: more would block others for more than 5 ms. Real deltas have one or two. */
const maxSentAtOnce = 25;

function* partsOf({ events, moves }: Derived): Generator<Derived> {
  for (let at = 0; at < Math.max(events.length, moves.length); at += maxSentAtOnce)
    yield { events: events.slice(at, at + maxSentAtOnce), moves: moves.slice(at, at + maxSentAtOnce) };
}

const isEmpty = ({ events, moves }: Derived) => events.length === 0 && moves.length === 0;

/** Writes a state outside a transaction: alone if it shows nothing, otherwise with its events in one round trip. */
export async function writeState(db: Db, change: StateWrite): Promise<boolean> {
  const values = valuesOf(change);
  const { key, seen, derived } = change;
  if (derived.events.length + derived.moves.length > maxSentAtOnce)
    return db.tx((q) => writeStateInTx(q, change));
  if (isEmpty(derived))
    return db.write(async (q) => (await (seen ? replaceRow : insertRow)(q, values)).length > 0);
  // SQLite has nothing to wait for.
  if (db.engine === 'sqlite') return db.tx((q) => writeStateInTx(q, change));
  const all = { ...values, ...derivedValues(key, values.updatedAt, derived) };
  return db.write(async (q) => (await (seen ? replaceWithDerived : insertWithDerived)(q, all)).length > 0);
}

/** Like {@link writeState}, within a transaction. */
export async function writeStateInTx(q: Query, change: StateWrite): Promise<boolean> {
  const values = valuesOf(change);
  const rows = await (change.seen ? replaceRow : insertRow)(q, values);
  if (rows.length === 0) return false;
  for (const part of partsOf(change.derived)) {
    await storeDerived(q, change.key, values.updatedAt, part);
    if (turnIsOver()) await nextTurn();
  }
  return true;
}
