import type { Query } from '../../../core/db/query/db.ts';
import type { Context, Host } from '../../../core/host/host.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { claimTenant, tenantFor, type TenantClaim, type TenantRight } from './tenant-access.ts';
import { raiseVersion, tenantToChange, type TenantRow } from './tenant-store.ts';

/*
 * Every write of this module goes through one of these functions. A change of what launches send raises the version of its
 * tenant in the same transaction, so that all processes read the catalogue again, and forgets the catalogue of this process
 * after the commit, so that the next launch sees the change. A write that forgot one of the two would serve stale launches.
 */

/** The tenant to write to: an existing one with the required right, or one that this write may create. */
type TenantTarget =
  | { readonly tenantId: string; readonly right: Exclude<TenantRight, 'read'> }
  | { readonly claim: TenantClaim };

export type WriteContext = Pick<Context, 'actor' | 'db' | 'clock' | 'host' | 'afterCommit'>;

/**
 * Changes data that launches send of one tenant, in one transaction.
 * @param work receives the `q` of the transaction and the tenant.
 * @throws Fault of {@link tenantFor} or {@link claimTenant}, before `work` runs; anything `work` throws. In both cases nothing is written.
 */
export const changeTenant = <T>(
  context: WriteContext,
  target: TenantTarget,
  work: (q: Query, tenant: TenantRow) => Promise<T>,
): Promise<T> =>
  changeTenants(context, async (q) => {
    const tenant = await tenantOfTarget(q, context, target);
    return { changed: [tenant.tenantId], result: await work(q, tenant) };
  });

/** The result of a change, and the tenants whose launches it changes. */
interface TenantChange<T> {
  readonly changed: Iterable<string>;
  readonly result: T;
}

/**
 * Like {@link changeTenant}, when the changed rows determine the tenants. `work` checks the right of the actor itself, e.g. with `ctaFor`.
 */
export async function changeTenants<T>(
  { db, host, afterCommit }: Pick<WriteContext, 'db' | 'host' | 'afterCommit'>,
  work: (q: Query) => Promise<TenantChange<T>>,
): Promise<T> {
  let changed: ReadonlySet<string> = new Set();
  // The transaction returns the result of `work`: the audit entry of the call takes its ids from it.
  const result = await db.tx(async (q) => {
    const change = await work(q);
    changed = new Set(change.changed);
    for (const tenantId of changed) await raiseVersion(q, tenantId);
    return change.result;
  });
  afterCommit(() => {
    for (const tenantId of changed) catalogues(host).forget(tenantId);
  });
  return result;
}

/** Like {@link changeTenants}, for a job without an actor: the transaction is committed when this resolves. */
export async function changeTenantsByClock<T>(host: Host, work: (q: Query) => Promise<TenantChange<T>>) {
  const effects: Array<() => void | Promise<void>> = [];
  const afterCommit: Context['afterCommit'] = (effect) => void effects.push(effect);
  const result = await changeTenants({ db: host.db, host, afterCommit }, work);
  for (const effect of effects) await effect();
  return result;
}

/**
 * Writes data that no catalogue contains (nudge previews, attributes and cohort members of users, their states) in one transaction.
 * Launches read it from the database each time, so no version rises.
 * @throws as {@link changeTenant}.
 */
export const writeBesideCatalogue = <T>(
  context: WriteContext,
  target: TenantTarget,
  work: (q: Query, tenant: TenantRow) => Promise<T>,
): Promise<T> => context.db.tx(async (q) => work(q, await tenantOfTarget(q, context, target)));

const tenantOfTarget = (q: Query, { actor, clock }: WriteContext, target: TenantTarget): Promise<TenantRow> =>
  'claim' in target
    ? claimTenant(q, actor, target.claim, clock.now())
    : tenantFor(q, actor, target.tenantId, target.right, tenantToChange);
