import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import type { Properties } from '../rules/filter.ts';
import { userAttributes } from '../base/schema.ts';

export interface KnownAttributes {
  readonly userId: string;
  readonly attributes: Properties;
}

/** Rows and characters written by one statement, which blocks the event loop for 2 to 5 ms (docs/decisions/time.md). */
const rowsAtOnce = 200;
const textAtOnce = 64 * 1024;
const idsAtOnce = 500;

/** Replaces the attributes of users; a user without attributes is deleted. Yields to other requests between chunks. */
export async function writeAttributes(
  q: Query,
  tenantId: string,
  users: readonly KnownAttributes[],
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const empty: string[] = [];
  const filled: KnownAttributes[] = [];
  for (const user of users) {
    if (Object.keys(user.attributes).length === 0) empty.push(user.userId);
    else filled.push(user);
    if (turnIsOver()) await nextTurn(signal);
  }
  for await (const ids of partsInTurns(empty, idsAtOnce, signal)) {
    await q
      .delete(userAttributes)
      .where(and(eq(userAttributes.tenantId, tenantId), inArray(userAttributes.userId, [...ids])));
  }
  for await (const chunk of byText(filled, signal)) {
    await q
      .insert(userAttributes)
      .values(chunk.map((user) => ({ tenantId, ...user, updatedAt: now })))
      .onConflictDoUpdate({
        target: [userAttributes.tenantId, userAttributes.userId],
        set: { attributes: sql`excluded.attributes`, updatedAt: now },
      });
  }
}

/** Users in chunks of few rows and little text. */
async function* byText(
  users: readonly KnownAttributes[],
  signal: AbortSignal,
): AsyncGenerator<readonly KnownAttributes[]> {
  let chunk: KnownAttributes[] = [];
  let length = 0;
  for (const user of users) {
    chunk.push(user);
    length += lengthOf(user.attributes);
    if (chunk.length < rowsAtOnce && length < textAtOnce) continue;
    yield chunk;
    if (turnIsOver()) await nextTurn(signal);
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield chunk;
}

const lengthOf = (attributes: Properties): number =>
  Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 8),
    0,
  );

/** The attributes of a user; null if the user has none. */
export async function attributesOf(q: Query, tenantId: string, userId: string) {
  const [row] = await q
    .select({ attributes: userAttributes.attributes, updatedAt: userAttributes.updatedAt })
    .from(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), eq(userAttributes.userId, userId)));
  return row ?? null;
}
