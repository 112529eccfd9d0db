import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { accessTokens } from '../base/schema.ts';
import { scopeOfToken } from './personal-token-store.ts';
import { scopeWords } from './token-scope.ts';

/** A personal access token in lists, without the token itself and its hash. */
export const personalTokenRecord = closedObject({
  tokenId: Type.Integer(),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: Type.String(),
  expiresAt: nullable(Type.String()),
  lastUsedAt: nullable(Type.String()),
});

export const personalTokenRecordOf = (token: typeof accessTokens.$inferSelect) => ({
  tokenId: token.id,
  name: token.name,
  scopes: scopeWords(scopeOfToken(token)),
  createdAt: isoTime(token.createdAt),
  expiresAt: isoTime(token.expiresAt),
  lastUsedAt: isoTime(token.lastUsedAt),
});
