import { asc, eq, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { byPriority } from '../rules/app-cta.ts';
import { gatesOf, gateStatus } from '../rules/eligibility.ts';
import type { CtaStatus } from '../rules/lifecycle.ts';
import { lifespanLimit, wireRule } from '../rules/wire-rule.ts';
import { behaviourTags, cohorts, ctas, tenants, type CtaRow } from '../base/schema.ts';
import { emptyCatalogue, type Catalogue, type CatalogueCta } from './catalogue.ts';
import { amongThese, ctaIdsOf, paceChunks, wholeCtas } from './cta-read-store.ts';
import { serialiseCta } from './serialised-cta.ts';

type TenantRow = Pick<typeof tenants.$inferSelect, 'version' | 'killedAt'>;

const tenantRow = prepared<{ tenantId: string }, TenantRow>(
  (q) =>
    q
      .select({ version: tenants.version, killedAt: tenants.killedAt })
      .from(tenants)
      .where(eq(tenants.tenantId, sql.placeholder('tenantId'))),
  'cta_tenant',
);

/**
 * Reads the part of a tenant that a launch needs.
 * @returns `known` itself when its version is still the stored one, {@link emptyCatalogue} for a tenant that does not exist.
 */
export async function readCatalogue(
  q: Query,
  tenantId: string,
  known: Catalogue | undefined,
): Promise<Catalogue> {
  // The version is read first: if the rest is newer, the next check sees another version and reads again.
  const [tenant] = await tenantRow(q, { tenantId });
  if (!tenant) return emptyCatalogue;
  if (known?.version === tenant.version) return known;
  return { version: tenant.version, ...(await readContent(q, tenantId, tenant.killedAt !== null, known)) };
}

const heldStatuses: ReadonlySet<CtaStatus> = new Set(['LIVE', 'PAUSED', 'SCHEDULED']);

/**
 * Reads in chunks, because reading 500 rules of 256 KiB at once took seconds. Rules that `known` has in the same version are not read
 * again; otherwise each edit of one CTA would cost as much as reading everything.
 */
async function readContent(
  q: Query,
  tenantId: string,
  tenantKilled: boolean,
  known: Catalogue | undefined,
): Promise<Omit<Catalogue, 'version'>> {
  const tags = await q
    .select({
      name: behaviourTags.name,
      definition: behaviourTags.definition,
      killedAt: behaviourTags.killedAt,
    })
    .from(behaviourTags)
    .where(eq(behaviourTags.tenantId, tenantId));
  const named = await q
    .select({ id: cohorts.id, name: cohorts.name, definition: cohorts.definition })
    .from(cohorts)
    .where(eq(cohorts.tenantId, tenantId));
  // Sorted by code unit, because each database orders text by its own collation.
  const byName = tags.sort((left, right) => (left.name < right.name ? -1 : 1));
  const killedTags = new Set(tags.filter(({ killedAt }) => killedAt !== null).map(({ name }) => name));

  const held = new Map<string, CatalogueCta>();
  const others = new Set<string>();
  const unread: number[] = [];
  const isKilled = (tag: string | null) => tenantKilled || (tag !== null && killedTags.has(tag));
  for await (const ids of paceChunks(await ctaIdsOf(q, tenantId), 50)) {
    const rows = await q
      .select({ id: ctas.id, status: ctas.status, version: ctas.version })
      .from(ctas)
      .where(amongThese(tenantId, ids))
      .orderBy(asc(ctas.id));
    for (const { id, status, version } of rows) {
      const ctaId = String(id);
      const before = known?.ctas.get(ctaId);
      if (!heldStatuses.has(status)) others.add(ctaId);
      else if (before?.edit === version) {
        const changed = { status: gateStatus(status), killed: isKilled(before.behaviourTagName) };
        held.set(ctaId, { ...before, status, gates: { ...before.gates, ...changed } });
      } else unread.push(id);
    }
  }
  for await (const cta of wholeCtas(q, unread)) {
    // Its status may have changed since it was read.
    if (heldStatuses.has(cta.status))
      held.set(String(cta.id), catalogueCtaOf(cta, isKilled(cta.behaviourTagName)));
    else others.add(String(cta.id));
  }
  return {
    ctas: held,
    inOrder: [...held.values()].sort(byPriority),
    others,
    tags: new Map(byName.map(({ name, definition }) => [name, definition])),
    cohorts: new Map(named.map(({ name, ...cohort }) => [name, cohort])),
  };
}

function catalogueCtaOf(row: CtaRow, killed: boolean): CatalogueCta {
  const { status, startTime, endTime, behaviourTagName } = row;
  return {
    ...serialiseCta({ ctaId: String(row.id), rule: wireRule(row.rule, endTime), behaviourTagName }),
    status,
    startTime,
    endTime,
    edit: row.version,
    gates: gatesOf(row, killed),
    lifespanLimit: lifespanLimit(row.rule),
  };
}
