import { and, eq } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { forUpdate } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { experimentChange } from '../experiments/experiment-check.ts';
import { isRunning } from '../rules/experiment.ts';
import { isEditable, nextStatuses, statusAt } from '../rules/lifecycle.ts';
import { behaviourTags, ctas, tenants, type CtaFields, type CtaRow } from '../base/schema.ts';
import { mayIn, ownerOf, type TenantRight } from '../tenants/tenant-access.ts';
import { insertVersion, type CtaEdit } from './cta-version-store.ts';
import {
  onlyCoverageGrows,
  requireAloneInTag,
  requireHoldout,
  requireSameExperiment,
} from './experiment-edit-store.ts';

/** Stores a new CTA as a draft, and its first version. @throws Fault BEHAVIOUR_TAG_NOT_FOUND. */
export async function insertCta(q: Query, tenantId: string, fields: CtaFields, { by, now, from }: CtaEdit) {
  await requireTag(q, tenantId, fields.behaviourTagName);
  await requireHoldout(q, tenantId, fields.experiment ?? null);
  const [cta] = await q
    .insert(ctas)
    .values({
      tenantId,
      ...fields,
      status: 'DRAFT',
      version: 1,
      createdBy: by,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!cta) throw new Error('the CTA was not stored');
  await insertVersion(q, cta, { by, now, ...(from && { from }) });
  return cta;
}

/**
 * Replaces the fields of a CTA, which creates a new version. `cta` is the row as it was read.
 * @throws Fault CTA_NOT_EDITABLE, EXPERIMENT_RUNNING, EXPERIMENT_OVERLAPS, CONFLICT when it has changed since, BEHAVIOUR_TAG_NOT_FOUND,
 * HOLDOUT_NOT_FOUND.
 */
export async function writeFields(q: Query, cta: CtaRow, fields: CtaFields, edit: CtaEdit): Promise<CtaRow> {
  const status = statusAt(cta, edit.now);
  // Checked first: what a running experiment forbids is not possible after a pause either.
  if (nextStatuses[status].length > 0) requireSameExperiment(cta, fields);
  if (!isEditable(status) && !(status === 'LIVE' && onlyCoverageGrows(cta, fields))) {
    throw fail.CTA_NOT_EDITABLE(`CTA "${cta.id}" is ${status}; only DRAFT and PAUSED ones can be edited.`, {
      cause: 'status',
    });
  }
  if (fields.behaviourTagName !== cta.behaviourTagName) {
    await requireTag(q, cta.tenantId, fields.behaviourTagName);
    if (isRunning(cta)) await requireAloneInTag(q, { ...cta, behaviourTagName: fields.behaviourTagName });
  }
  // With less coverage it is the same experiment: a stopped one keeps its results, and does not start again.
  const isOther = experimentChange(cta.experiment, fields.experiment ?? null) === 'other';
  if (isOther) await requireHoldout(q, cta.tenantId, fields.experiment ?? null);
  const [written] = await q
    .update(ctas)
    .set({
      ...fields,
      ...(isOther && { experimentStartedAt: null, experimentStoppedAt: null }),
      version: cta.version + 1,
      updatedAt: edit.now,
    })
    .where(and(eq(ctas.id, cta.id), eq(ctas.version, cta.version), eq(ctas.status, cta.status)))
    .returning();
  if (!written) throw changedSince(cta);
  await insertVersion(q, written, edit);
  return written;
}

const changedSince = (cta: CtaRow) =>
  fail.CONFLICT(`CTA "${cta.id}" was changed by somebody else meanwhile.`, {
    cause: 'version',
    tip: 'Use get-cta to read the newest version, and repeat the change on it.',
  });

/** Whether the tenant has this behaviour tag; true for no tag. */
export async function hasTag(q: Query, tenantId: string, name: string | null): Promise<boolean> {
  if (name === null) return true;
  const [tag] = await q
    .select({ name: behaviourTags.name })
    .from(behaviourTags)
    .where(and(eq(behaviourTags.tenantId, tenantId), eq(behaviourTags.name, name)));
  return tag !== undefined;
}

/** @throws Fault BEHAVIOUR_TAG_NOT_FOUND. */
async function requireTag(q: Query, tenantId: string, name: string | null): Promise<void> {
  if (!(await hasTag(q, tenantId, name))) {
    throw fail.BEHAVIOUR_TAG_NOT_FOUND(`The tenant "${tenantId}" has no behaviour tag of that name.`, {
      cause: 'behaviourTagName',
    });
  }
}

/** Like {@link ctaFor}, for a transaction that writes: locks the CTA and its tenant. */
export const ctaToChange = (q: Query, actor: Actor, ctaId: string, right: TenantRight): Promise<CtaRow> =>
  ctaFor(q, actor, ctaId, right, forUpdate);

/**
 * The CTA, if the actor has this right in its tenant.
 * @throws Fault CTA_NOT_FOUND (also for a CTA of another organization), FORBIDDEN.
 */
export async function ctaFor(
  q: Query,
  actor: Actor,
  ctaId: string,
  right: TenantRight,
  lock = <S extends object>(select: S): S => select,
): Promise<CtaRow> {
  const [found] = await lock(
    q
      .select({ cta: ctas, orgId: tenants.orgId })
      .from(ctas)
      .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
      .where(eq(ctas.id, Number(ctaId))),
  );
  if (!found || mayIn(actor, found.orgId, right) === 'hidden') {
    throw fail.CTA_NOT_FOUND(`There is no CTA "${ctaId}".`);
  }
  return found.cta;
}

/**
 * The CTA, if it is of this tenant.
 * @param cause the parameter that has the id.
 * @throws Fault CTA_NOT_FOUND (also for a CTA of another tenant).
 */
export async function ctaOfTenant(
  q: Query,
  actor: Actor,
  { tenantId, ctaId }: { readonly tenantId: string; readonly ctaId: string },
  cause: string,
): Promise<CtaRow> {
  const cta = await ctaFor(q, actor, ctaId, 'read');
  if (cta.tenantId !== tenantId)
    throw fail.CTA_NOT_FOUND(`The tenant "${tenantId}" has no CTA "${ctaId}".`, { cause });
  return cta;
}

/** The organization of the tenant or the CTA named in the input of a write, for any caller. */
export async function organizationOfIds(
  q: Query,
  { tenantId, ctaId }: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  if (typeof tenantId === 'string') return ownerOf(q, tenantId);
  const [found] = await q
    .select({ orgId: tenants.orgId })
    .from(ctas)
    .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
    .where(eq(ctas.id, Number(ctaId)));
  return found?.orgId;
}
