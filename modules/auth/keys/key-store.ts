import { asc, eq, ne } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { masterKeyChecks, signingKeys } from '../base/schema.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

/** The signing keys, the oldest first: without `orderBy`, PostgreSQL returns rows in any order. */
export const readKeys = (q: Query): Promise<readonly SigningKeyRow[]> =>
  Promise.resolve(q.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.kid)));

/** The keys that sign or will sign, the oldest first. */
export const readLiveKeys = (q: Query): Promise<readonly SigningKeyRow[]> =>
  Promise.resolve(
    q.select().from(signingKeys).where(ne(signingKeys.status, 'retired')).orderBy(asc(signingKeys.createdAt)),
  );

export async function insertKey(q: Query, key: typeof signingKeys.$inferInsert): Promise<void> {
  await q.insert(signingKeys).values(key);
}

export async function writeKeyStatus(
  q: Query,
  kid: string,
  status: SigningKeyRow['status'],
  now: number,
): Promise<void> {
  await q.update(signingKeys).set({ status, statusSince: now }).where(eq(signingKeys.kid, kid));
}

export async function deleteKey(q: Query, kid: string): Promise<void> {
  await q.delete(signingKeys).where(eq(signingKeys.kid, kid));
}

/** The id of the only row. */
const only = 1;

export type MasterKeyRow = typeof masterKeyChecks.$inferSelect;

/** What the database says of its master key; undefined for a database of version 0.1. */
export async function readMasterKeyRow(q: Query): Promise<MasterKeyRow | undefined> {
  const [row] = await q.select().from(masterKeyChecks).where(eq(masterKeyChecks.id, only));
  return row;
}

export async function changeMasterKeyRow(q: Query, change: Partial<MasterKeyRow>): Promise<void> {
  await q.update(masterKeyChecks).set(change).where(eq(masterKeyChecks.id, only));
}

export async function writeWrapped(q: Query, kid: string, privateWrapped: string): Promise<void> {
  await q.update(signingKeys).set({ privateWrapped }).where(eq(signingKeys.kid, kid));
}

/** The fingerprint of the master key of this database; undefined for a database of version 0.1. */
export const readFingerprint = async (q: Query): Promise<string | undefined> =>
  (await readMasterKeyRow(q))?.fingerprint;

/** Stores a fingerprint unless one exists. */
export async function insertFingerprint(q: Query, fingerprint: string, now: number): Promise<void> {
  await q.insert(masterKeyChecks).values({ id: only, fingerprint, createdAt: now }).onConflictDoNothing();
}

export async function replaceFingerprint(q: Query, fingerprint: string, now: number): Promise<void> {
  await q
    .insert(masterKeyChecks)
    .values({ id: only, fingerprint, createdAt: now })
    .onConflictDoUpdate({
      target: masterKeyChecks.id,
      set: { fingerprint, successorWrapped: null, previousWrapped: null },
    });
}
