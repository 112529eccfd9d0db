import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { paceChunks } from '../catalogue/cta-read-store.ts';
import { fail } from '../base/errors.ts';
import { ctaVersions, type CtaFields, type CtaRow, type CtaVersionRow } from '../base/schema.ts';

/** Who makes a change, and when. */
export interface CtaEdit {
  readonly by: number;
  readonly now: number;
  /** The source from which the fields were copied. */
  readonly from?: { readonly ctaId: number; readonly version: number };
}

/** The editable fields of a stored CTA or of a version. */
export const fieldsOf = (cta: CtaFields): Required<CtaFields> => ({
  name: cta.name,
  description: cta.description,
  tags: cta.tags,
  team: cta.team,
  startTime: cta.startTime,
  endTime: cta.endTime,
  behaviourTagName: cta.behaviourTagName,
  rule: cta.rule,
  experiment: cta.experiment ?? null,
});

/** Stores the current fields of a CTA as a version. */
export async function insertVersion(q: Query, cta: CtaRow, { by, now, from }: CtaEdit): Promise<void> {
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

/** A version of a CTA. @throws Fault CTA_VERSION_NOT_FOUND. */
export async function versionOf(q: Query, ctaId: number, version: number): Promise<CtaVersionRow> {
  const [found] = await q
    .select()
    .from(ctaVersions)
    .where(and(eq(ctaVersions.ctaId, ctaId), eq(ctaVersions.version, version)));
  if (!found) {
    throw fail.CTA_VERSION_NOT_FOUND(`CTA "${ctaId}" has no version ${version}.`, { cause: 'version' });
  }
  return found;
}

/** Versions of a CTA, newest first, each with its predecessor. They are read one by one, because each has a rule of up to 256 KiB. */
export async function* versionsOf(
  q: Query,
  cta: CtaRow,
  { limit, offset }: Page,
): AsyncGenerator<{ readonly version: CtaVersionRow; readonly before: CtaVersionRow | undefined }> {
  // Versions are numbered without gaps from 1 on.
  const newest = cta.version - offset;
  const numbers = Array.from({ length: Math.max(0, Math.min(limit + 1, newest)) }, (_, n) => newest - n);
  let version: CtaVersionRow | undefined;
  for await (const part of paceChunks(numbers, 1)) {
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
