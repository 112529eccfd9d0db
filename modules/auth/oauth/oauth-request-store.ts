import { and, eq, gt, isNull, or } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { oauthRequests, type OauthStatus } from '../base/schema.ts';

export type OauthRequestRow = typeof oauthRequests.$inferSelect;

export async function insertRequest(q: Query, row: typeof oauthRequests.$inferInsert): Promise<void> {
  await q.insert(oauthRequests).values(row);
}

type Hash = 'upstreamState' | 'userCodeHash' | 'id';

/** A request by one of its hashes. */
export async function requestBy(q: Query, column: Hash, hash: string): Promise<OauthRequestRow | undefined> {
  const [row] = await q.select().from(oauthRequests).where(eq(oauthRequests[column], hash));
  return row;
}

/** The request of a code, locked for a transaction that changes it. */
export async function requestToChange(q: Query, codeHash: string): Promise<OauthRequestRow | undefined> {
  const [row] = await forUpdate(q.select().from(oauthRequests).where(eq(oauthRequests.codeHash, codeHash)));
  return row;
}

/**
 * Changes a request if it still has this status and has not expired.
 * @returns whether it did: of several concurrent attempts, one succeeds.
 */
export async function moveRequest(
  q: Query,
  id: string,
  from: OauthStatus,
  change: Partial<OauthRequestRow> & { readonly status: OauthStatus },
  now: number,
): Promise<boolean> {
  const open = and(
    eq(oauthRequests.id, id),
    eq(oauthRequests.status, from),
    gt(oauthRequests.expiresAt, now),
  );
  const moved = await q.update(oauthRequests).set(change).where(open).returning({ id: oauthRequests.id });
  return moved.length > 0;
}

/** Assigns the request of a device to the browser that entered its code. @returns false when another browser was first. */
export async function claimRequest(q: Query, id: string, browserHash: string, now: number): Promise<boolean> {
  const { browserHash: owner } = oauthRequests;
  const claimable = and(
    eq(oauthRequests.id, id),
    eq(oauthRequests.status, 'asked'),
    gt(oauthRequests.expiresAt, now),
    or(isNull(owner), eq(owner, browserHash)),
  );
  const claimed = await q
    .update(oauthRequests)
    .set({ browserHash })
    .where(claimable)
    .returning({ id: oauthRequests.id });
  return claimed.length > 0;
}

/** Records a poll of a device. */
export async function notePoll(
  q: Query,
  id: string,
  poll: Pick<OauthRequestRow, 'pollAfter' | 'pollSeconds'>,
): Promise<void> {
  await q.update(oauthRequests).set(poll).where(eq(oauthRequests.id, id));
}
