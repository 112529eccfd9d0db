import type { Query } from '../../../core/db/query/db.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { usedIdTokens } from '../base/schema.ts';

/** Marks an ID token as used. @param endsAt epoch ms. @returns false when it was used before. */
export async function useIdToken(q: Query, idToken: string, endsAt: number): Promise<boolean> {
  const hash = secretHash(idToken.slice(0, idToken.lastIndexOf('.')));
  const first = await q
    .insert(usedIdTokens)
    .values({ hash, expiresAt: endsAt })
    .onConflictDoNothing()
    .returning({ hash: usedIdTokens.hash });
  return first.length > 0;
}
