import { asc, eq, inArray, sql } from 'drizzle-orm';
import { byCodePoint } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { byPriority } from '../rules/app-cta.ts';
import { actionsOf } from '../experiments/assignment.ts';
import { gatesOf, gateStatus } from '../rules/eligibility.ts';
import type { Cohort } from '../rules/cohort.ts';
import { isRunning, type Holdout, type Variant } from '../rules/experiment.ts';
import type { CtaStatus } from '../rules/lifecycle.ts';
import { lifespanLimit, wireRule } from '../rules/wire-rule.ts';
import { behaviourTags, cohorts, ctas, holdouts, tenants, type CtaRow } from '../base/schema.ts';
import { emptyCatalogue, type Catalogue, type CatalogueCta } from './catalogue.ts';
import { amongThese, ctaIdsOf, paceChunks, wholeCtas } from './cta-read-store.ts';
import { serialiseCta } from './serialised-cta.ts';

type TenantRow = Pick<typeof tenants.$inferSelect, 'version' | 'killedAt' | 'delivery'>;

const tenantRow = prepared<{ tenantId: string }, TenantRow>(
  (q) =>
    q
      .select({ version: tenants.version, killedAt: tenants.killedAt, delivery: tenants.delivery })
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
  const { version, killedAt, delivery } = tenant;
  return { version, delivery, ...(await readContent(q, tenantId, killedAt !== null, known)) };
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
): Promise<Omit<Catalogue, 'version' | 'delivery'>> {
  const tags = await q
    .select({
      name: behaviourTags.name,
      definition: behaviourTags.definition,
      killedAt: behaviourTags.killedAt,
    })
    .from(behaviourTags)
    .where(eq(behaviourTags.tenantId, tenantId));
  // Sorted by code unit, because each database orders text by its own collation.
  const byName = tags.sort((left, right) => (left.name < right.name ? -1 : 1));
  const killedTags = new Set(tags.filter(({ killedAt }) => killedAt !== null).map(({ name }) => name));

  const held = new Map<string, CatalogueCta>();
  const others = new Map<string, number>();
  const unread: number[] = [];
  const isKilled = (tag: string | null) => tenantKilled || (tag !== null && killedTags.has(tag));
  for await (const ids of paceChunks(await ctaIdsOf(q, tenantId), 50)) {
    const rows = await q
      .select({
        id: ctas.id,
        status: ctas.status,
        version: ctas.version,
        experimentStartedAt: ctas.experimentStartedAt,
        experimentStoppedAt: ctas.experimentStoppedAt,
      })
      .from(ctas)
      .where(amongThese(tenantId, ids))
      .orderBy(asc(ctas.id));
    for (const { id, status, version, ...times } of rows) {
      const ctaId = String(id);
      const before = known?.ctas.get(ctaId);
      if (!heldStatuses.has(status)) others.set(ctaId, version);
      else if (before?.edit === version) {
        const changed = { status: gateStatus(status), killed: isKilled(before.behaviourTagName) };
        held.set(ctaId, {
          ...before,
          status,
          isTried: isRunning(times),
          startedAt: times.experimentStartedAt,
          gates: { ...before.gates, ...changed },
        });
      } else unread.push(id);
    }
  }
  for await (const cta of wholeCtas(q, unread)) {
    // Its status may have changed since it was read.
    if (heldStatuses.has(cta.status))
      held.set(String(cta.id), catalogueCtaOf(cta, isKilled(cta.behaviourTagName)));
    else others.set(String(cta.id), cta.version);
  }
  return {
    ctas: held,
    inOrder: [...held.values()].sort(byPriority),
    others,
    tags: new Map(byName.map(({ name, definition }) => [name, definition])),
    cohorts: await cohortsOf(q, tenantId),
    holdouts: await holdoutsOf(q, tenantId),
    hasTrials: [...held.values()].some((cta) => cta.isTried),
  };
}

/** The cohorts of a tenant by name, read in parts: the filters of one may have 64 KiB. */
async function cohortsOf(q: Query, tenantId: string): Promise<Catalogue['cohorts']> {
  const found = new Map<string, Cohort>();
  const { id, name, definition } = cohorts;
  const ids = await q.select({ id }).from(cohorts).where(eq(cohorts.tenantId, tenantId)).orderBy(asc(id));
  for await (const part of paceChunks(
    ids.map((row) => row.id),
    20,
  )) {
    const rows = await q
      .select({ id, name, definition })
      .from(cohorts)
      .where(inArray(id, [...part]));
    for (const row of rows) found.set(row.name, { id: row.id, definition: row.definition });
  }
  return found;
}

/** The holdouts of a tenant, by name. */
const holdoutsOf = (q: Query, tenantId: string): Promise<Holdout[]> =>
  Promise.resolve(
    q
      .select({
        name: holdouts.name,
        share: holdouts.share,
        seed: holdouts.seed,
        scope: holdouts.scope,
      })
      .from(holdouts)
      .where(eq(holdouts.tenantId, tenantId))
      .orderBy(byCodePoint(holdouts.name)),
  );

function catalogueCtaOf(row: CtaRow, killed: boolean): CatalogueCta {
  const { status, startTime, endTime, behaviourTagName, rule, version, experiment } = row;
  const cta = { ctaId: String(row.id), rule: wireRule(rule, endTime), behaviourTagName, version };
  const armOfVariant = (variant: Variant) =>
    serialiseCta({
      ...cta,
      rule: { ...cta.rule, actions: actionsOf(variant, rule.actions) },
      variant: variant.key,
    });
  return {
    ...serialiseCta(cta),
    trial: experiment
      ? {
          experiment,
          arms: new Map(experiment.variants.map((variant) => [variant.key, armOfVariant(variant)])),
        }
      : undefined,
    isTried: isRunning(row),
    startedAt: row.experimentStartedAt,
    status,
    startTime,
    endTime,
    edit: row.version,
    gates: gatesOf(row, killed),
    lifespanLimit: lifespanLimit(row.rule),
  };
}
