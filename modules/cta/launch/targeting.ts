import { and, eq, inArray, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { belongsTo, type Cohort, type UserFacts } from '../rules/cohort.ts';
import type { Properties } from '../rules/filter.ts';
import type { ClientHeaders } from './client-headers.ts';
import { cohortMembers, userAttributes } from '../schema.ts';

/** What has to be read of a user to know which of some cohorts they are in. */
export interface Needs {
  /** Ids of lists, ascending. */
  readonly lists: readonly number[];
  readonly attributes: boolean;
}

/** What some cohorts, by name, need; names of cohorts that do not exist need nothing. Pure. */
export function needsOf(names: Iterable<string>, cohorts: ReadonlyMap<string, Cohort>): Needs {
  const lists = new Set<number>();
  let attributes = false;
  for (const name of names) {
    const cohort = cohorts.get(name);
    if (cohort?.definition.kind === 'list') lists.add(cohort.id);
    attributes ||= cohort?.definition.kind === 'attributes';
  }
  return { lists: [...lists].sort((left, right) => left - right), attributes };
}

interface Row {
  readonly cohortId: number;
  readonly attributes: Properties | null;
}

/**
 * One statement for both kinds of reading, prepared once for each number of lists it can take: a launch waits for one
 * round trip at most. Attributes come as a row of the cohort 0.
 */
const readingOf = (lists: number) => {
  const slots = Array.from({ length: lists }, (_, index) => sql.placeholder(`list${index}`));
  return prepared<Record<string, unknown>, Row>((q) => {
    const memberships = q
      .select({ cohortId: cohortMembers.cohortId, attributes: sql<Properties | null>`null`.mapWith(parsed) })
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

const parsed = (text: unknown) => JSON.parse(String(text)) as Properties;

const readings = new Map<number, ReturnType<typeof readingOf>>();

/** What is known of a user for these needs: at most one reading, none when nothing is needed. */
export async function knownOf(
  q: Query,
  { tenantId, userId }: Pick<ClientHeaders, 'tenantId' | 'userId'>,
  { lists, attributes }: Needs,
): Promise<UserFacts> {
  if (lists.length === 0 && !attributes) return { userId, lists: new Set(), attributes: {} };
  // Rounded up to a power of two, so that few statements serve all; the slots left over ask for no list.
  const slots = 2 ** Math.ceil(Math.log2(Math.max(1, lists.length)));
  const reading = readings.get(slots) ?? readingOf(slots);
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

/** Answers whether the user is in a cohort; nobody is in one that does not exist. */
export const membershipOf =
  (cohorts: ReadonlyMap<string, Cohort>, known: UserFacts, now: number) =>
  (name: string): boolean => {
    const cohort = cohorts.get(name);
    return cohort !== undefined && belongsTo(cohort, known, now);
  };
