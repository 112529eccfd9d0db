import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/clock.ts';
import { closedObject, nullable } from '../../../core/schema.ts';
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
});
