import { contains, equalsText } from '../../../core/db/query/text-match.ts';
import { and, asc, eq, getTableColumns, inArray, or, type SQL } from 'drizzle-orm';
import type { Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { amongThese, ctaIdsOf, paceChunks } from '../catalogue/cta-read-store.ts';
import { ctaStatuses, statusAt, type CtaStatus } from '../rules/lifecycle.ts';
import { ctas, tenants, type CtaRow } from '../base/schema.ts';

/** Which CTAs to list; an undefined field does not restrict the list. */
interface CtaFilter {
  readonly status: CtaStatus | undefined;
  readonly team: string | undefined;
  readonly tag: string | undefined;
  readonly behaviourTagName: string | undefined;
  /** Part of the name or the description. */
  readonly search: string | undefined;
}

/** The columns of a CTA in lists. */
type CtaSummaryRow = Omit<CtaRow, 'rule' | 'description'>;

interface CtaPage {
  readonly total: number;
  readonly rows: readonly CtaSummaryRow[];
  /** The number of CTAs per status, ignoring the filter `status`. */
  readonly counts: Readonly<Record<CtaStatus, number>>;
}

/**
 * One page of the CTAs of a tenant, oldest first, their total, and the number per status. All of them are read, in chunks, because one
 * statement that searched 20,000 long descriptions took 5.8 s.
 */
export async function pageOfCtas(
  q: Query,
  tenantId: string,
  { status, ...filter }: CtaFilter,
  { limit, offset }: Page,
  now: number,
): Promise<CtaPage> {
  const counts = Object.fromEntries(ctaStatuses.map((each) => [each, 0])) as Record<CtaStatus, number>;
  const found: number[] = [];
  for await (const ids of paceChunks(await ctaIdsOf(q, tenantId), 50)) {
    const rows = await q
      .select({ id: ctas.id, status: ctas.status, startTime: ctas.startTime, endTime: ctas.endTime })
      .from(ctas)
      .where(and(amongThese(tenantId, ids), ...filterConditions(filter)))
      .orderBy(asc(ctas.id));
    for (const row of rows) {
      const present = statusAt(row, now);
      counts[present]++;
      if (status === undefined || status === present) found.push(row.id);
    }
  }
  const rows: CtaSummaryRow[] = [];
  for await (const ids of paceChunks(found.slice(offset, offset + limit), 20)) {
    const part = await q
      .select(summaryColumns)
      .from(ctas)
      .where(inArray(ctas.id, [...ids]))
      .orderBy(asc(ctas.id));
    rows.push(...part);
  }
  return { total: found.length, rows, counts };
}

const { rule: _rule, description: _description, ...summaryColumns } = getTableColumns(ctas);

type Filter = Omit<CtaFilter, 'status'>;

const filterConditions = ({ team, tag, behaviourTagName, search }: Filter): (SQL | undefined)[] => [
  team === undefined ? undefined : eq(ctas.team, team),
  behaviourTagName === undefined ? undefined : eq(ctas.behaviourTagName, behaviourTagName),
  // Tags are stored as a JSON list, so a tag occurs in it as JSON text with quotes.
  tag === undefined ? undefined : contains(ctas.tags, JSON.stringify(tag)),
  search === undefined ? undefined : or(contains(ctas.name, search), contains(ctas.description, search)),
];

/** CTAs with this name, whatever its case, in the tenants of these organizations. */
export async function ctasNamed(
  q: Query,
  tenantId: string,
  orgIds: readonly number[],
  name: string,
  limit: number,
) {
  return q
    .select({ id: ctas.id, name: ctas.name })
    .from(ctas)
    .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
    .where(and(eq(ctas.tenantId, tenantId), inArray(tenants.orgId, [...orgIds]), equalsText(ctas.name, name)))
    .orderBy(asc(ctas.id))
    .limit(limit);
}
