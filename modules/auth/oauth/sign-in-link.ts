import type { Host } from '../../../core/host/host.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { keptUser } from '../people/identity-store.ts';
import { userById } from '../people/user-store.ts';
import { insertRequest, moveRequest, requestToChange } from './oauth-request-store.ts';

const linkMs = 30 * 60_000;

/**
 * A link that signs a user in once, within 30 minutes. The page at `path` takes the code from the fragment, sends it with a form, and
 * redeems it with {@link useSignInLink}.
 */
export async function signInLink(
  host: Host,
  { userId, path }: { readonly userId: number; readonly path: string },
): Promise<{ readonly url: string; readonly expiresAt: number }> {
  const code = Buffer.from(host.random(32)).toString('base64url');
  const now = host.clock.now();
  const expiresAt = now + linkMs;
  await host.db.write((q) =>
    insertRequest(q, {
      id: Buffer.from(host.random(18)).toString('base64url'),
      resources: [],
      codeHash: secretHash(code),
      userId,
      status: 'granted',
      createdAt: now,
      expiresAt,
    }),
  );
  return { url: `${host.origin()}${path}#${code}`, expiresAt };
}

/** The user whom a link signs in, also after the account was merged into theirs; null if it was used, has expired or is unknown, or if the user is disabled. */
export async function useSignInLink(host: Host, code: string): Promise<number | null> {
  const now = host.clock.now();
  return host.db.tx(async (q) => {
    const row = await requestToChange(q, secretHash(code));
    if (!row || row.userId === null || row.clientId !== null) return null;
    const named = await userById(q, row.userId);
    const user = named && (await keptUser(q, named));
    if (user?.status !== 'active') return null;
    return (await moveRequest(q, row.id, 'granted', { status: 'used' }, now)) ? user.id : null;
  });
}
