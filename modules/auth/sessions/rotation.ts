/**
 * Which refresh token is current, which may be repeated, and which is a reuse. RFC 9700 §4.14: a refresh token is used once; a
 * reuse means that it was copied, and the session ends. Honest clients present the previous token again, too: two tabs at once (the grace
 * window), or an answer that was lost, perhaps noticed hours later, when the app is opened again (forgiven). They get the same successor
 * again, so that the session does not fork.
 *
 * | presented generation | since rotation | repeats   | outcome                                               |
 * |----------------------|----------------|-----------|-------------------------------------------------------|
 * | current              | any            | –         | advance: a new generation                             |
 * | current − 1          | ≤ grace        | < 100     | repeat: the same successor                            |
 * | current − 1          | ≤ 24 h         | < 100     | repeat, forgiven: nobody has used the successor       |
 * | current − 1          | any            | 100       | revoke (reuse)                                        |
 * | current − 1          | > 24 h         | any       | revoke (reuse)                                        |
 * | current − 1          | any, grace 0   | any       | revoke (reuse): a token works once                    |
 * | older                | any            | any       | revoke (reuse): its successor was used                |
 * | newer than current   | any            | any       | restored, once; see below                             |
 *
 * "Used" means used as a refresh token: then the session has advanced, and what was the previous token is older. So a thief who uses a
 * copy is found when the owner comes back after the thief's second refresh, or the thief after the owner's. The access token of the
 * successor does not count. Services verify it by themselves, so its use is not seen here; a write for each first use would double the
 * writes of all refreshes; and a tab that slept while another one refreshed is honest, though that one has used its access token.
 *
 * The grace window is the switch for both: an installation that sets it to 0 wants each token to work exactly once.
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
      /** After the grace window: the answer with the successor was lost. */
      readonly forgiven: boolean;
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

/** How often the previous token may be presented. */
const maxGraceUses = 100;

/** How long a client may take to notice that an answer was lost. */
const forgivenMs = 24 * 60 * 60_000;

/**
 * @param now epoch ms.
 * @param graceMs 0 turns off the grace window, and that lost answers are forgiven.
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
  const isParent = presented === generation - 1 && graceMs > 0 && now - rotatedAt <= forgivenMs;
  if (!isParent || graceUses >= maxGraceUses) return { kind: 'revoke' };
  const forgiven = now - rotatedAt > graceMs;
  return { kind: 'repeat', generation, rotatedAt, graceUses: graceUses + 1, forgiven };
}

/** When the refresh token of a generation expires (epoch ms): after its idle time, at the latest with the session. */
export const refreshExpiry = (
  session: { readonly rotatedAt: number; readonly expiresAt: number },
  idleMs: number,
): number => Math.min(session.rotatedAt + idleMs, session.expiresAt);
