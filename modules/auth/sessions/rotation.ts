/**
 * Which refresh token is current, which may be repeated, and which is a reuse. RFC 9700 §4.14: a refresh token is used once; a
 * reuse means that it was copied, and the session ends. The grace window is for honest clients: a lost response, two tabs at once.
 * Within it the previous token returns the same successor again, so that the session does not fork.
 *
 * | presented generation | since rotation      | uses in grace | outcome                    |
 * |----------------------|---------------------|---------------|----------------------------|
 * | current              | any                 | –             | advance: a new generation  |
 * | current − 1          | ≤ grace             | < 100         | repeat: the same successor |
 * | current − 1          | ≤ grace             | 100           | revoke (reuse)             |
 * | current − 1          | > grace             | any           | revoke (reuse)             |
 * | older                | any                 | any           | revoke (reuse)             |
 * | newer than current   | any                 | any           | restored, once; see below  |
 *
 * Only we can sign a generation that is newer than the stored one: the database was restored from before it was given out. Otherwise a
 * restore would sign out everybody who was active since the backup, as thieves. It is accepted once for each restore: the second one is of
 * a copy.
 *
 * | newer than current: issued | session rotated since the restore | outcome                              |
 * |----------------------------|-----------------------------------|--------------------------------------|
 * | no restore is known        | –                                 | restored; the restore is noted now   |
 * | after the last known one   | –                                 | restored; another one is noted now   |
 * | before it                  | no                                | restored                             |
 * | before it                  | yes                               | revoke (reuse)                       |
 */
type Rotation =
  | { readonly kind: 'advance'; readonly generation: number; readonly rotatedAt: number }
  | {
      readonly kind: 'repeat';
      readonly generation: number;
      readonly rotatedAt: number;
      readonly graceUses: number;
    }
  | {
      readonly kind: 'restored';
      readonly generation: number;
      readonly rotatedAt: number;
      /** A restore that nobody has noted yet. */
      readonly isNew: boolean;
    }
  | { readonly kind: 'revoke' };

/** A refresh token that is presented. */
interface Presented {
  readonly generation: number;
  /** Epoch ms. */
  readonly issuedAt: number;
}

/** How often the previous token may be presented inside the grace window. */
const maxGraceUses = 100;

/**
 * @param now epoch ms.
 * @param graceMs 0 turns the grace window off.
 * @param restoredAt when the database was restored last; undefined when no restore is known. Needed for newer generations alone.
 */
export function rotate(
  session: { readonly generation: number; readonly rotatedAt: number; readonly graceUses: number },
  { generation: presented, issuedAt }: Presented,
  {
    now,
    graceMs,
    restoredAt,
  }: { readonly now: number; readonly graceMs: number; readonly restoredAt?: number | undefined },
): Rotation {
  const { generation, rotatedAt, graceUses } = session;
  if (presented > generation) {
    const isNew = restoredAt === undefined || issuedAt > restoredAt;
    return isNew || rotatedAt < restoredAt
      ? { kind: 'restored', generation: presented + 1, rotatedAt: now, isNew }
      : { kind: 'revoke' };
  }
  if (presented === generation) return { kind: 'advance', generation: generation + 1, rotatedAt: now };
  const inGrace = presented === generation - 1 && graceMs > 0 && now - rotatedAt <= graceMs;
  return inGrace && graceUses < maxGraceUses
    ? { kind: 'repeat', generation, rotatedAt, graceUses: graceUses + 1 }
    : { kind: 'revoke' };
}

/** When the refresh token of a generation expires (epoch ms): after its idle time, at the latest with the session. */
export const refreshExpiry = (
  session: { readonly rotatedAt: number; readonly expiresAt: number },
  idleMs: number,
): number => Math.min(session.rotatedAt + idleMs, session.expiresAt);
