import type { Query } from '../../../core/db/query/db.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { usedIdTokens } from '../base/schema.ts';

/** Marks an ID token as used. @param endsAt epoch ms. @returns false when it was used before. */
export const useIdToken = (q: Query, idToken: string, endsAt: number): Promise<boolean> =>
  useText(q, idToken.slice(0, idToken.lastIndexOf('.')), endsAt);

/** Like {@link useIdToken}, for a text that names a token, e.g. the issuer and `jti` of a logout token. */
export async function useText(q: Query, text: string, endsAt: number): Promise<boolean> {
  const first = await q
    .insert(usedIdTokens)
    .values({ hash: secretHash(text), expiresAt: endsAt })
    .onConflictDoNothing()
    .returning({ hash: usedIdTokens.hash });
  return first.length > 0;
}
