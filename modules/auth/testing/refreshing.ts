import { eq } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import type { TestAnswer } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';
import { sessions } from '../base/schema.ts';
import type { SessionRow } from '../sessions/session-store.ts';
import type { Attacked } from './attacked-server.ts';

/** The tokens of a person after signing in. */
export interface SignedIn {
  readonly sid: string;
  readonly access: string;
  readonly refresh: string;
}

export async function signIn(at: Attacked, email = 'refreshing-person@example.org'): Promise<SignedIn> {
  const token = await mintDevIdToken(at.trivet.kernel.host, email);
  const { body } = await at.acceptsIdToken('dev', token);
  const access = String(body['accessToken']);
  return { sid: String(decodeJwt(access)['sid']), access, refresh: String(body['refreshToken']) };
}

export async function isLive(at: Attacked, token: string): Promise<boolean> {
  const { body } = await at.verify(token);
  return Bun.deepEquals(body, { isAuthTokenValid: true });
}

/** The stored row of a session. */
export async function sessionRow(at: Attacked, sid: string): Promise<SessionRow | undefined> {
  const [session] = await at.trivet.kernel.host.db.q.select().from(sessions).where(eq(sessions.id, sid));
  return session;
}

/** The cause of a refusal, or `ok`. */
export const causeOf = ({ status, body }: TestAnswer): unknown =>
  status === 200 ? 'ok' : (body['error'] as { cause?: unknown }).cause;
