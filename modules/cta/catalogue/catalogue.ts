import { asc, eq, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { perHost, type Host } from '../../../core/host.ts';
import { errorFields } from '../../../core/log.ts';
import { serialised, type SerialisedCta } from './serialised-cta.ts';
import { byPriority } from '../rules/app-cta.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { Cohort } from '../rules/cohort.ts';
import { wholeCtas, amongThese, ctaIdsOf, pacedChunks } from './cta-reader.ts';
import { gatesOf, gateStatus, type Gates } from '../rules/eligibility.ts';
import { statusAt, type CtaStatus, type CtaSchedule } from '../rules/lifecycle.ts';
import { lifespanLimit, wireRule } from '../rules/rule.ts';
import { behaviourTags, cohorts, ctas, tenants } from '../schema.ts';

/** A CTA that is live or may become so by the clock, with all that a launch needs of it. */
export interface CatalogueCta extends SerialisedCta, CtaSchedule {
  /** Which edit of the CTA this is: its rule, times and tag change with an edit alone. */
  readonly edit: number;
  readonly gates: Gates;
  /** How often a user may see it ever; undefined is no limit. */
  readonly lifespanLimit: number | undefined;
}

/** What clients may see of one tenant. Never changed: a newer version is another object. */
export interface Catalogue {
  readonly version: number;
  /** Stored as LIVE, PAUSED or SCHEDULED, by ctaId. */
  readonly ctas: ReadonlyMap<string, CatalogueCta>;
  /** The same, in the order of the answer. */
  readonly inOrder: readonly CatalogueCta[];
  /** CTAs of the tenant in any other status: they exist, and their users' state is of no use. */
  readonly others: ReadonlySet<string>;
  /** By behaviourTagName, in that order. */
  readonly tags: ReadonlyMap<string, TagDefinition>;
  /** By name. */
  readonly cohorts: ReadonlyMap<string, Cohort>;
}

/** Of a tenant that does not exist: nothing is answered and nothing is stored for it. */
export const emptyCatalogue: Catalogue = {
  version: 0,
  ctas: new Map(),
  inOrder: [],
  others: new Set(),
  tags: new Map(),
  cohorts: new Map(),
};

/**
 * What a CTA is to the state of users at a moment; undefined when the tenant has none of this id. A kill switch pauses.
 */
export function statusForState(
  catalogue: Catalogue,
  ctaId: string,
  now: number,
): 'LIVE' | 'PAUSED' | 'OTHER' | undefined {
  const cta = catalogue.ctas.get(ctaId);
  if (!cta) return catalogue.others.has(ctaId) ? 'OTHER' : undefined;
  const status = statusAt(cta, now);
  if (status === 'LIVE' && cta.gates.killed === true) return 'PAUSED';
  return status === 'LIVE' || status === 'PAUSED' ? status : 'OTHER';
}

/** A catalogue whose version was confirmed less than this ago is used as it is. */
const freshMs = 500;
/** Until then requests are not held up by the check: they get what is there while it runs. From then on they wait. */
const staleMs = 1000;

export interface Catalogues {
  /** The tenant's catalogue, at most one second behind other processes and never behind this one. */
  of(tenantId: string): Promise<Catalogue>;
  /** What is held of the tenant is out of date: the next request reads it. */
  forget(tenantId: string): void;
}

/** Reads a tenant's catalogue: `known` itself when it is still that, {@link emptyCatalogue} for a tenant that does not exist. */
export type ReadCatalogue = (tenantId: string, known: Catalogue | undefined) => Promise<Catalogue>;

/** The catalogues of a server. */
export const catalogues = perHost((host) =>
  holdCatalogues((tenantId, known) => newest(host.db.q, tenantId, known), host),
);

/**
 * Holds catalogues and has them read again in time, each by one reading at once. Only tenants that exist are held, so
 * that invented names cannot fill the memory; asking for one of those costs a read of one row by its key.
 */
export function holdCatalogues(read: ReadCatalogue, { clock, log }: Pick<Host, 'clock' | 'log'>): Catalogues {
  const held = new Map<string, { readonly catalogue: Catalogue; readonly confirmedAt: number }>();
  const refreshing = new Map<string, Promise<Catalogue>>();

  const refresh = (tenantId: string): Promise<Catalogue> => {
    const running = refreshing.get(tenantId);
    if (running) return running;
    // Confirmed as of the beginning: what is committed while this reads may be missed.
    const confirmedAt = clock.now();
    // A reading that was overtaken by forget() may have seen what was there before: it leaves nothing behind.
    const isCurrent = () => refreshing.get(tenantId) === started && refreshing.delete(tenantId);
    const started: Promise<Catalogue> = read(tenantId, held.get(tenantId)?.catalogue).then(
      (catalogue) => {
        if (!isCurrent()) return catalogue;
        if (catalogue === emptyCatalogue) held.delete(tenantId);
        else held.set(tenantId, { catalogue, confirmedAt });
        return catalogue;
      },
      (error: unknown) => {
        isCurrent();
        throw error;
      },
    );
    refreshing.set(tenantId, started);
    return started;
  };

  return {
    of: async (tenantId) => {
      const known = held.get(tenantId);
      if (!known) return refresh(tenantId);
      const age = clock.now() - known.confirmedAt;
      // A clock that was set back says nothing about the age.
      if (age >= 0 && age < freshMs) return known.catalogue;
      const refreshed = refresh(tenantId);
      if (age < 0 || age >= staleMs) return refreshed;
      refreshed.catch((error: unknown) => log.warn('catalogue_refresh_failed', errorFields(error)));
      return known.catalogue;
    },
    forget: (tenantId) => {
      const known = held.get(tenantId);
      // Kept for what of it has not changed, and so old that nobody gets it.
      if (known) held.set(tenantId, { ...known, confirmedAt: -Infinity });
      refreshing.delete(tenantId);
    },
  };
}

type TenantRow = Pick<typeof tenants.$inferSelect, 'version' | 'killedAt'>;

const tenantRow = prepared<{ tenantId: string }, TenantRow>(
  (q) =>
    q
      .select({ version: tenants.version, killedAt: tenants.killedAt })
      .from(tenants)
      .where(eq(tenants.tenantId, sql.placeholder('tenantId'))),
  'cta_tenant',
);

async function newest(q: Query, tenantId: string, known: Catalogue | undefined): Promise<Catalogue> {
  // The version first: if the rest turns out newer, the next check sees another version and reads again.
  const [tenant] = await tenantRow(q, { tenantId });
  if (!tenant) return emptyCatalogue;
  if (known?.version === tenant.version) return known;
  return { version: tenant.version, ...(await contentOf(q, tenantId, tenant.killedAt !== null, known)) };
}

const shown: ReadonlySet<CtaStatus> = new Set(['LIVE', 'PAUSED', 'SCHEDULED']);

/**
 * Read in parts, since 500 rules of 256 KiB took seconds in one go. Rules that `known` has in the same version are not read again:
 * otherwise each edit of one CTA would cost as much as the whole.
 */
async function contentOf(
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
  // By code unit on both engines: a database orders text by its own collation.
  const byName = tags.sort((left, right) => (left.name < right.name ? -1 : 1));
  const killedTags = new Set(tags.filter(({ killedAt }) => killedAt !== null).map(({ name }) => name));

  const made = new Map<string, CatalogueCta>();
  const others = new Set<string>();
  const unread: number[] = [];
  const isKilled = (tag: string | null) => tenantKilled || (tag !== null && killedTags.has(tag));
  for await (const ids of pacedChunks(await ctaIdsOf(q, tenantId), 50)) {
    const rows = await q
      .select({ id: ctas.id, status: ctas.status, version: ctas.version })
      .from(ctas)
      .where(amongThese(tenantId, ids))
      .orderBy(asc(ctas.id));
    for (const { id, status, version } of rows) {
      const ctaId = String(id);
      const before = known?.ctas.get(ctaId);
      if (!shown.has(status)) others.add(ctaId);
      else if (before?.edit === version) {
        const gates = {
          ...before.gates,
          status: gateStatus(status),
          killed: isKilled(before.behaviourTagName),
        };
        made.set(ctaId, { ...before, status, gates });
      } else unread.push(id);
    }
  }
  for await (const cta of wholeCtas(q, unread)) {
    // It may have been moved since its status was read.
    if (shown.has(cta.status)) made.set(String(cta.id), catalogueCta(cta, isKilled(cta.behaviourTagName)));
    else others.add(String(cta.id));
  }
  return {
    ctas: made,
    inOrder: [...made.values()].sort(byPriority),
    others,
    tags: new Map(byName.map(({ name, definition }) => [name, definition])),
    cohorts: new Map(named.map(({ name, ...cohort }) => [name, cohort])),
  };
}

function catalogueCta(row: typeof ctas.$inferSelect, killed: boolean): CatalogueCta {
  const { status, startTime, endTime, behaviourTagName } = row;
  return {
    ...serialised({ ctaId: String(row.id), rule: wireRule(row.rule, endTime), behaviourTagName }),
    status,
    startTime,
    endTime,
    edit: row.version,
    gates: gatesOf(row, killed),
    lifespanLimit: lifespanLimit(row.rule),
  };
}
