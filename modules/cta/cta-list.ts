import { and, asc, eq, gt, isNull, lte, or, sql, type SQL } from 'drizzle-orm';

import type { Query } from '../../core/db/db.ts';
import type { Cta } from './ctas.ts';
import { ctaStatuses, type CtaStatus } from './lifecycle.ts';
import { ctas } from './schema.ts';

/** What CTAs to list; what is undefined does not narrow. */
export interface Wanted {
  readonly status: CtaStatus | undefined;
  readonly team: string | undefined;
  readonly tag: string | undefined;
  readonly behaviourTagName: string | undefined;
  /** A part of the name or the description. */
  readonly search: string | undefined;
}

export const everyCta: Wanted = {
  status: undefined,
  team: undefined,
  tag: undefined,
  behaviourTagName: undefined,
  search: undefined,
};

export interface Listed {
  readonly total: number;
  readonly rows: readonly Cta[];
  /** How many there are of each status, whatever status is wanted. */
  readonly counts: Readonly<Record<CtaStatus, number>>;
}

/** One page of the CTAs of a tenant, oldest first, how many there are, and how many of each status. */
export async function pageOfCtas(
  q: Query,
  tenantId: string,
  { status, ...wanted }: Wanted,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  now: number,
): Promise<Listed> {
  const whatever = and(eq(ctas.tenantId, tenantId), ...narrowing(wanted));
  const [counted] = await q.select(countsByStatus(now)).from(ctas).where(whatever);
  const counts = Object.fromEntries(
    ctaStatuses.map((word) => [word, counted?.[word] ?? 0]),
  ) as Listed['counts'];
  const rows = await q
    .select()
    .from(ctas)
    .where(status === undefined ? whatever : and(whatever, hasStatus(status, now)))
    .orderBy(asc(ctas.id))
    .limit(limit)
    .offset(offset);
  const total =
    status === undefined ? Object.values(counts).reduce((sum, count) => sum + count, 0) : counts[status];
  return { total, rows, counts };
}

const narrowing = ({ team, tag, behaviourTagName, search }: Omit<Wanted, 'status'>): (SQL | undefined)[] => [
  team === undefined ? undefined : eq(ctas.team, team),
  behaviourTagName === undefined ? undefined : eq(ctas.behaviourTagName, behaviourTagName),
  // Tags are stored as a JSON list: one of them stands there as its JSON text, quotes and all.
  tag === undefined ? undefined : contains(sql`${ctas.tags}`, JSON.stringify(tag)),
  search === undefined
    ? undefined
    : or(contains(sql`${ctas.name}`, search), contains(sql`${ctas.description}`, search)),
];

/** Whether a text holds another, whatever the case of a to z: the engines agree on no other letters. */
const contains = (column: SQL, part: string): SQL =>
  sql`lower(${column}) like lower(${`%${part.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`;

const countsByStatus = (now: number) =>
  Object.fromEntries(
    ctaStatuses.map((status) => [
      status,
      sql<number>`coalesce(sum(case when ${hasStatus(status, now)} then 1 else 0 end), 0)`.mapWith(Number),
    ]),
  ) as Record<CtaStatus, SQL<number>>;

/** `statusAt` as a condition. */
export function hasStatus(status: CtaStatus, now: number): SQL | undefined {
  const isScheduled = eq(ctas.status, 'SCHEDULED');
  const hasBegun = or(
    eq(ctas.status, 'LIVE'),
    and(isScheduled, or(isNull(ctas.startTime), lte(ctas.startTime, now))),
  );
  switch (status) {
    case 'SCHEDULED':
      return and(isScheduled, gt(ctas.startTime, now));
    case 'LIVE':
      return and(hasBegun, or(isNull(ctas.endTime), gt(ctas.endTime, now)));
    case 'CONCLUDED':
      return or(eq(ctas.status, 'CONCLUDED'), and(hasBegun, lte(ctas.endTime, now)));
    default:
      return eq(ctas.status, status);
  }
}
