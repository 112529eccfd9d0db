import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm';
import { byCodePoint } from '../../../core/db/query/columns.ts';
import { countedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { amongThese, ctaIdsOf, ctaNames, paceChunks } from '../catalogue/cta-read-store.ts';
import { fail } from '../base/errors.ts';
import { statusAt } from '../rules/lifecycle.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { behaviourTags, ctas } from '../base/schema.ts';

export type TagRow = typeof behaviourTags.$inferSelect;

/** Warns of relations that name CTAs that the tenant does not have: they hide nothing until those CTAs exist. */
export async function unknownCtaWarnings(q: Query, { tenantId, definition: { ctaRelation } }: TagRow) {
  const named = (['shownCta', 'hideCta'] as const).flatMap((name) =>
    (ctaRelation?.[name]?.ctaList ?? []).map((ctaId, index) => ({
      ctaId,
      path: `ctaRelation.${name}.ctaList[${index}]`,
    })),
  );
  if (named.length === 0) return [];
  const ids = [...new Set(named.map(({ ctaId }) => Number(ctaId)))];
  const rows = await q
    .select({ id: ctas.id })
    .from(ctas)
    .where(and(eq(ctas.tenantId, tenantId), inArray(ctas.id, ids)));
  const known = new Set(rows.map(({ id }) => String(id)));
  return named
    .filter(({ ctaId }) => !known.has(ctaId))
    .map(({ path }) => ({
      path,
      message: 'The tenant has no CTA of this id; until it does, the entry has no effect.',
    }));
}

/** Stores a behaviour tag. @throws Fault BEHAVIOUR_TAG_EXISTS. */
export async function insertTag(
  q: Query,
  given: Pick<TagRow, 'tenantId' | 'definition'> & { readonly by: number; readonly now: number },
): Promise<TagRow> {
  const { tenantId, definition, by, now } = given;
  const name = definition.behaviourTagName;
  if (await findTag(q, tenantId, name)) {
    throw fail.BEHAVIOUR_TAG_EXISTS(`The tenant "${tenantId}" has a behaviour tag of that name already.`, {
      cause: 'behaviourTagName',
    });
  }
  const times = { createdAt: now, updatedAt: now, killedAt: null };
  const row = { tenantId, name, definition, version: 1, createdBy: by, ...times };
  await q.insert(behaviourTags).values(row);
  return row;
}

const isNamed = (tenantId: string, name: string) =>
  and(eq(behaviourTags.tenantId, tenantId), eq(behaviourTags.name, name));

const findTag = async (q: Query, tenantId: string, name: string): Promise<TagRow | undefined> =>
  (await q.select().from(behaviourTags).where(isNamed(tenantId, name)))[0];

/** @throws Fault BEHAVIOUR_TAG_NOT_FOUND. */
export async function tagNamed(q: Query, tenantId: string, name: string): Promise<TagRow> {
  const tag = await findTag(q, tenantId, name);
  if (!tag) {
    throw fail.BEHAVIOUR_TAG_NOT_FOUND(`The tenant "${tenantId}" has no behaviour tag of that name.`, {
      cause: 'behaviourTagName',
    });
  }
  return tag;
}

/** One page of the behaviour tags of a tenant, oldest first, and their total. */
export function pageOfTags(q: Query, tenantId: string, page: Page) {
  const where = eq(behaviourTags.tenantId, tenantId);
  const orderBy = [asc(behaviourTags.createdAt), byCodePoint(behaviourTags.name)];
  return countedPage(q, behaviourTags, { where, orderBy }, page);
}

/** Replaces the definition of `tag`. @throws Fault CONFLICT when the tag has changed since it was read. */
export async function writeTag(q: Query, tag: TagRow, definition: TagDefinition, now: number) {
  const [written] = await q
    .update(behaviourTags)
    .set({ definition, version: tag.version + 1, updatedAt: now })
    .where(and(isNamed(tag.tenantId, tag.name), eq(behaviourTags.version, tag.version)))
    .returning();
  if (!written) throw fail.CONFLICT('The behaviour tag was changed by somebody else meanwhile.');
  return written;
}

/** Deletes a behaviour tag. @throws Fault BEHAVIOUR_TAG_IN_USE naming the CTAs under it that have not ended. */
export async function deleteTag(q: Query, { tenantId, name }: TagRow, now: number): Promise<void> {
  const using: number[] = [];
  for await (const ids of paceChunks(await ctaIdsOf(q, tenantId), 50)) {
    const under = await q
      .select({ id: ctas.id, status: ctas.status, startTime: ctas.startTime, endTime: ctas.endTime })
      .from(ctas)
      .where(and(amongThese(tenantId, ids), eq(ctas.behaviourTagName, name)))
      .orderBy(asc(ctas.id));
    for (const cta of under) {
      if (!['CONCLUDED', 'TERMINATED'].includes(statusAt(cta, now))) using.push(cta.id);
    }
  }
  if (using.length > 0) {
    throw fail.BEHAVIOUR_TAG_IN_USE(`The behaviour tag has ${ctaNames(using)}.`, {
      cause: 'behaviourTagName',
    });
  }
  await q.delete(behaviourTags).where(isNamed(tenantId, name));
}

/** Hides the CTAs of a behaviour tag from a time on (epoch milliseconds); null shows them again. */
export async function killTag(q: Query, { tenantId, name }: TagRow, killedAt: number | null): Promise<void> {
  await q.update(behaviourTags).set({ killedAt }).where(isNamed(tenantId, name));
}

/** The behaviour tags whose CTAs are hidden, with the time since when. */
export async function readKilledTags(q: Query, tenantId: string) {
  const rows = await q
    .select({ behaviourTagName: behaviourTags.name, killedAt: behaviourTags.killedAt })
    .from(behaviourTags)
    .where(and(eq(behaviourTags.tenantId, tenantId), isNotNull(behaviourTags.killedAt)))
    .orderBy(byCodePoint(behaviourTags.name));
  return rows.flatMap(({ killedAt, ...row }) => (killedAt === null ? [] : [{ ...row, killedAt }]));
}
