import { and, eq, inArray, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import type { UserFacts } from '../rules/cohort.ts';
import type { Properties } from '../rules/filter.ts';
import { cohortMembers, userAttributes } from '../base/schema.ts';
import type { ClientHeaders } from './client-headers.ts';
import type { AudienceNeeds } from './targeting.ts';

interface FactRow {
  readonly cohortId: number;
  readonly attributes: Properties | null;
}

const parseAttributes = (text: unknown) => JSON.parse(String(text)) as Properties;

/**
 * One statement for lists and attributes, prepared once for each number of lists it can take, so that a launch waits for at most one round
 * trip. Attributes are returned as a row of the cohort 0.
 */
const prepareReading = (lists: number) => {
  const slots = Array.from({ length: lists }, (_, index) => sql.placeholder(`list${index}`));
  return prepared<Record<string, unknown>, FactRow>((q) => {
    const memberships = q
      .select({
        cohortId: cohortMembers.cohortId,
        attributes: sql<Properties | null>`null`.mapWith(parseAttributes),
      })
      .from(cohortMembers)
      .where(
        and(inArray(cohortMembers.cohortId, slots), eq(cohortMembers.userId, sql.placeholder('userId'))),
      );
    const known = q
      .select({ cohortId: sql<number>`0`.mapWith(Number), attributes: userAttributes.attributes })
      .from(userAttributes)
      .where(
        and(
          eq(userAttributes.tenantId, sql.placeholder('tenantId')),
          eq(userAttributes.userId, sql.placeholder('userId')),
        ),
      );
    return memberships.unionAll(known as never);
  }, `cta_audience_${lists}`);
};

const readings = new Map<number, ReturnType<typeof prepareReading>>();

/** The facts about a user that these needs require: at most one read, and none when nothing is needed. */
export async function readUserFacts(
  q: Query,
  { tenantId, userId }: Pick<ClientHeaders, 'tenantId' | 'userId'>,
  { lists, attributes }: AudienceNeeds,
): Promise<UserFacts> {
  if (lists.length === 0 && !attributes) return { userId, lists: new Set(), attributes: {} };
  // Rounded up to a power of two, so that few statements suffice; unused slots match no list.
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, lists.length)));
  const reading = readings.get(slots) ?? prepareReading(slots);
  readings.set(slots, reading);
  const values: Record<string, unknown> = { tenantId, userId };
  for (let index = 0; index < slots; index++) values[`list${index}`] = lists[index] ?? 0;
  const rows = await reading(q, values);
  return {
    userId,
    lists: new Set(rows.map(({ cohortId }) => cohortId)),
    attributes: rows.find(({ cohortId }) => cohortId === 0)?.attributes ?? {},
  };
}
