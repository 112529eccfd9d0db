import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/turns.ts';
import type { Properties } from '../rules/filter.ts';
import { userAttributes } from '../schema.ts';

/** What is known of a user. */
export interface KnownAttributes {
  readonly userId: string;
  readonly attributes: Properties;
}

/** Rows and characters of one statement, which holds the event loop for 2 to 5 ms (docs/decisions/time.md). */
const rowsAtOnce = 200;
const textAtOnce = 64 * 1024;
const idsAtOnce = 500;

/** Replaces what is known of users; of one without attributes nothing is kept. Lets requests in between its parts. */
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
  for await (const part of byText(filled, signal)) {
    await q
      .insert(userAttributes)
      .values(part.map((user) => ({ tenantId, ...user, updatedAt: now })))
      .onConflictDoUpdate({
        target: [userAttributes.tenantId, userAttributes.userId],
        set: { attributes: sql`excluded.attributes`, updatedAt: now },
      });
  }
}

/** Users in parts of few rows and little text. */
async function* byText(
  users: readonly KnownAttributes[],
  signal: AbortSignal,
): AsyncGenerator<readonly KnownAttributes[]> {
  let part: KnownAttributes[] = [];
  let length = 0;
  for (const user of users) {
    part.push(user);
    length += lengthOf(user.attributes);
    if (part.length < rowsAtOnce && length < textAtOnce) continue;
    yield part;
    if (turnIsOver()) await nextTurn(signal);
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

const lengthOf = (attributes: Properties): number =>
  Object.entries(attributes).reduce(
    (sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 8),
    0,
  );

/** What is known of a user, null for nothing. */
export async function attributesOf(q: Query, tenantId: string, userId: string) {
  const [row] = await q
    .select({ attributes: userAttributes.attributes, updatedAt: userAttributes.updatedAt })
    .from(userAttributes)
    .where(and(eq(userAttributes.tenantId, tenantId), eq(userAttributes.userId, userId)));
  return row ?? null;
}
