import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Actor } from '../../../core/actor.ts';
import { countRows } from '../../../core/db/columns.ts';
import type { Query } from '../../../core/db/db.ts';
import { fail } from '../../../core/errors.ts';
import { refuse } from '../errors.ts';
import {
  clockStatusChanges,
  isEditable,
  statusAt,
  type CtaStatus,
  type StatusChange,
} from '../rules/lifecycle.ts';
import { pacedChunks } from '../catalogue/cta-reader.ts';
import {
  behaviourTags,
  ctas,
  ctaVersions,
  statusChanges,
  tenants,
  type CtaRow,
  type CtaFields,
  type CtaVersionRow,
} from '../schema.ts';
import { mayIn } from '../tenants/tenant-store.ts';

/** Who changes something, and when. */
export interface Edit {
  readonly by: number;
  readonly now: number;
  /** What the fields were copied from. */
  readonly from?: { readonly ctaId: number; readonly version: number };
}

/** What an edit can change, of a stored CTA or a version. */
export const fieldsOf = (cta: CtaFields): CtaFields => ({
  name: cta.name,
  description: cta.description,
  tags: cta.tags,
  team: cta.team,
  startTime: cta.startTime,
  endTime: cta.endTime,
  behaviourTagName: cta.behaviourTagName,
  rule: cta.rule,
});

/** Stores a new CTA as a draft, and its first version. @throws Fault BEHAVIOUR_TAG_NOT_FOUND. */
export async function insertCta(
  q: Query,
  tenantId: string,
  fields: CtaFields,
  { by, now, from }: Edit,
): Promise<CtaRow> {
  await requireTag(q, tenantId, fields.behaviourTagName);
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
 * Replaces the fields of a CTA: a new version. `cta` is what the change was made from.
 * @throws Fault CTA_NOT_EDITABLE, CONFLICT when it has changed since, BEHAVIOUR_TAG_NOT_FOUND.
 */
export async function writeFields(q: Query, cta: CtaRow, fields: CtaFields, edit: Edit): Promise<CtaRow> {
  const status = statusAt(cta, edit.now);
  if (!isEditable(status)) {
    throw refuse.CTA_NOT_EDITABLE(`CTA "${cta.id}" is ${status}; only DRAFT and PAUSED ones can be edited.`, {
      cause: 'status',
    });
  }
  if (fields.behaviourTagName !== cta.behaviourTagName) {
    await requireTag(q, cta.tenantId, fields.behaviourTagName);
  }
  const [written] = await q
    .update(ctas)
    .set({ ...fields, version: cta.version + 1, updatedAt: edit.now })
    .where(and(eq(ctas.id, cta.id), eq(ctas.version, cta.version), eq(ctas.status, cta.status)))
    .returning();
  if (!written) throw changedSince(cta);
  await insertVersion(q, written, edit);
  return written;
}

/** @throws Fault CONFLICT unless the CTA still is of the version that the caller read. */
export function requireVersion(cta: CtaRow, version: number): void {
  if (cta.version !== version) {
    throw fail.CONFLICT(`CTA "${cta.id}" is at version ${cta.version}, not ${version}.`, {
      cause: 'version',
      tip: 'Use get-cta to read the newest version, and repeat the change on it.',
    });
  }
}

const changedSince = (cta: CtaRow) =>
  fail.CONFLICT(`CTA "${cta.id}" was changed by somebody else meanwhile.`, {
    cause: 'version',
    tip: 'Use get-cta to read the newest version, and repeat the change on it.',
  });

async function insertVersion(q: Query, cta: CtaRow, { by, now, from }: Edit): Promise<void> {
  await q.insert(ctaVersions).values({
    ctaId: cta.id,
    version: cta.version,
    fields: fieldsOf(cta),
    by,
    at: now,
    fromCtaId: from?.ctaId ?? null,
    fromVersion: from?.version ?? null,
  });
}

/** Whether a CTA of the tenant may be under this behaviour tag; none is always possible. */
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
    throw refuse.BEHAVIOUR_TAG_NOT_FOUND(`The tenant "${tenantId}" has no behaviour tag of that name.`, {
      cause: 'behaviourTagName',
    });
  }
}

/**
 * The CTA, if the actor may do this with it.
 * @throws Fault CTA_NOT_FOUND (also for another organization's), FORBIDDEN.
 */
export async function ctaFor(
  q: Query,
  actor: Actor,
  ctaId: string,
  right: 'read' | 'write' | 'publish',
): Promise<CtaRow> {
  const [found] = await q
    .select({ cta: ctas, orgId: tenants.orgId })
    .from(ctas)
    .innerJoin(tenants, eq(tenants.tenantId, ctas.tenantId))
    .where(eq(ctas.id, Number(ctaId)));
  if (!found || mayIn(actor, found.orgId, right) === 'hidden') {
    throw refuse.CTA_NOT_FOUND(`There is no CTA "${ctaId}".`);
  }
  return found.cta;
}

/**
 * Moves a CTA to a status and records it, after whatever moves the clock has made until then; without `to` those alone.
 * Whether it may is the caller's business. `by` is null for the clock.
 * @returns null when somebody else moved it since it was read: then nothing is written.
 */
export async function writeStatus(
  q: Query,
  cta: CtaRow,
  to: CtaStatus | null,
  { by, now }: { readonly by: number | null; readonly now: number },
): Promise<CtaRow | null> {
  const byClock = clockStatusChanges(cta, now);
  const asked: StatusChange[] = to === null ? [] : [{ from: statusAt(cta, now), to, at: now }];
  const status = [...byClock, ...asked].at(-1)?.to;
  if (status === undefined) return null;
  const [moved] = await q
    .update(ctas)
    .set({ status, updatedAt: now })
    // The times too: an edit may have put the start off since the CTA was read.
    .where(and(eq(ctas.id, cta.id), eq(ctas.status, cta.status), eq(ctas.version, cta.version)))
    .returning();
  if (!moved) return null;
  await q
    .insert(statusChanges)
    .values([
      ...byClock.map((move) => ({ ctaId: cta.id, ...move, by: null })),
      ...asked.map((move) => ({ ctaId: cta.id, ...move, by })),
    ]);
  return moved;
}

/** One page of the moves of a CTA, the oldest first, and how many there are. */
export async function pageOfStatusChanges(
  q: Query,
  ctaId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const ofCta = eq(statusChanges.ctaId, ctaId);
  const [counted] = await q.select({ total: countRows() }).from(statusChanges).where(ofCta);
  const rows = await q
    .select()
    .from(statusChanges)
    .where(ofCta)
    .orderBy(asc(statusChanges.id))
    .limit(limit)
    .offset(offset);
  return { total: counted?.total ?? 0, rows };
}

/** A version of a CTA. @throws Fault CTA_VERSION_NOT_FOUND. */
export async function versionOf(q: Query, ctaId: number, version: number): Promise<CtaVersionRow> {
  const [found] = await q
    .select()
    .from(ctaVersions)
    .where(and(eq(ctaVersions.ctaId, ctaId), eq(ctaVersions.version, version)));
  if (!found) {
    throw refuse.CTA_VERSION_NOT_FOUND(`CTA "${ctaId}" has no version ${version}.`, { cause: 'version' });
  }
  return found;
}

/** Versions of a CTA, the newest first, each with the one before it; one after the other, as each has a rule of up to 256 KiB. */
export async function* versionsOf(
  q: Query,
  cta: CtaRow,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): AsyncGenerator<{ readonly version: CtaVersionRow; readonly before: CtaVersionRow | undefined }> {
  // Versions are numbered without gaps from 1 on.
  const newest = cta.version - offset;
  const numbers = Array.from({ length: Math.max(0, Math.min(limit + 1, newest)) }, (_, n) => newest - n);
  let version: CtaVersionRow | undefined;
  for await (const part of pacedChunks(numbers, 1)) {
    const rows = await q
      .select()
      .from(ctaVersions)
      .where(and(eq(ctaVersions.ctaId, cta.id), inArray(ctaVersions.version, [...part])))
      .orderBy(desc(ctaVersions.version));
    for (const before of rows) {
      if (version) yield { version, before };
      version = before;
    }
  }
  if (version && numbers.length <= limit) yield { version, before: undefined };
}

/** A CTA as lists show it: without the long texts. */
export const slimCta = (cta: Omit<CtaRow, 'rule' | 'description'>, now: number) => ({
  ctaId: String(cta.id),
  tenantId: cta.tenantId,
  name: cta.name,
  tags: [...cta.tags],
  team: cta.team,
  status: statusAt(cta, now),
  startTime: cta.startTime,
  endTime: cta.endTime,
  behaviourTagName: cta.behaviourTagName,
  version: cta.version,
  createdBy: cta.createdBy,
  createdAt: cta.createdAt,
  updatedAt: cta.updatedAt,
});

/** The whole record of a CTA. */
export const wholeCta = (cta: CtaRow, now: number) => ({
  ...slimCta(cta, now),
  description: cta.description,
  rule: cta.rule,
});
