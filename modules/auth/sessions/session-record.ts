import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { SessionRow } from './session-store.ts';

export const sessionRecord = closedObject({
  sessionId: Type.String(),
  userId: Type.Integer(),
  provider: Type.String(),
  createdAt: Type.String(),
  lastUsedAt: Type.String(),
  expiresAt: Type.String(),
  device: nullable(Type.String()),
  address: nullable(Type.String()),
  /** The name that the program gives itself; null: an app. */
  client: nullable(Type.String()),
  /** What the program may do; null: everything that the user may. */
  scope: nullable(Type.String()),
});

export const sessionRecordOf = (session: SessionRow) => ({
  sessionId: session.id,
  userId: session.userId,
  provider: session.provider,
  createdAt: isoTime(session.createdAt),
  lastUsedAt: isoTime(session.lastUsedAt),
  expiresAt: isoTime(session.expiresAt),
  device: session.userAgent,
  address: session.address,
  client: clientNameOf(session.clientId),
  scope: session.scope,
});

/** The name of the program that signed a person in by browser: its id contains it (modules/auth/oauth-clients/oauth-client.ts). */
export function clientNameOf(clientId: string): string | null {
  if (clientId === 'trivet-cli') return 'trivet login';
  if (clientId === 'trivet-console') return 'console';
  if (clientId === 'trivet-guest') return 'guest';
  if (clientId.startsWith('https://') && URL.canParse(clientId)) return new URL(clientId).hostname;
  const [, payload = ''] = /^dcr\.([\w-]+)\./.exec(clientId) ?? [];
  try {
    const { n } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { n?: unknown };
    return typeof n === 'string' ? n : null;
  } catch {
    // The client of an app at its provider may have any id.
    return null;
  }
}
