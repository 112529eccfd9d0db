import { and, asc, count, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { restoredAtOnce } from '../../../core/db/query/came-back.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { forUpdate } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { deleteChunk } from '../../../core/db/query/row-deletion.ts';
import { isMemberSince, sinceMember } from '../../auth/index.ts';
import { projects, runs } from '../base/schema.ts';
import { shareLinks } from './share-schema.ts';

export type ShareLink = typeof shareLinks.$inferSelect;

/** Only for secrets of at least 128 random bits: the code of a link has 256. */
export const codeHash = (code: string): string => new Bun.CryptoHasher('sha256').update(code).digest('hex');

export async function insertShareLink(q: Query, row: Omit<ShareLink, 'id'>): Promise<ShareLink> {
  const orgId = sql`(select org_id from testmgmt_projects where id = ${row.projectId})`;
  const createdAt = sinceMember(orgId, row.by, row.createdAt);
  const [made] = await q
    .insert(shareLinks)
    .values({ ...row, createdAt })
    .returning();
  if (!made) throw new Error('the link was not stored');
  return made;
}

// The columns are named for the subquery.
const ofOrg = sql`(select org_id from testmgmt_projects where id = testmgmt_share_links.project_id)`;
const madeAt = sql`testmgmt_share_links.created_at`;
/** Who made the link is active, and has been a member of the project's organization since then. */
const byMember = isMemberSince(ofOrg, sql`testmgmt_share_links.by_user`, madeAt);

/** The live links that one account made are those of the account that it becomes part of; the memberships of both exist still. */
export async function moveShareLinks(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  await q
    .update(shareLinks)
    .set({ by: intoUserId, createdAt: sinceMember(ofOrg, intoUserId, madeAt) })
    .where(and(eq(shareLinks.by, fromUserId), byMember));
}

const isLiveAt = (now: number) => and(gt(shareLinks.expiresAt, now), byMember);

const isLive = (projectId: number, now: number) => and(eq(shareLinks.projectId, projectId), isLiveAt(now));

/** One page of the live links of all projects after an id. */
export const liveLinksAfter = (q: Query, now: number, after: number) =>
  q
    .select({ id: shareLinks.id, projectId: shareLinks.projectId, hash: shareLinks.hash })
    .from(shareLinks)
    .where(and(gt(shareLinks.id, after), isLiveAt(now)))
    .orderBy(asc(shareLinks.id))
    .limit(restoredAtOnce);

/** Those of the hashes whose link is live. */
export async function liveOf(q: Query, hashes: readonly string[], now: number): Promise<ReadonlySet<string>> {
  const rows = await q
    .select({ hash: shareLinks.hash })
    .from(shareLinks)
    .where(and(inArray(shareLinks.hash, [...hashes]), isLiveAt(now)));
  return new Set(rows.map(({ hash }) => hash));
}

/** The live links of a project. */
export async function countOfProject(q: Query, projectId: number, now: number): Promise<number> {
  const [found] = await q.select({ links: count() }).from(shareLinks).where(isLive(projectId, now));
  return Number(found?.links ?? 0);
}

/** One page of the live links of a project, oldest first. */
export const pageOfShareLinks = (
  q: Query,
  { projectId, now }: { readonly projectId: number; readonly now: number },
  page: Page,
): Promise<CountedPage<ShareLink>> =>
  countedPage(
    q,
    shareLinks,
    {
      where: isLive(projectId, now),
      orderBy: [asc(shareLinks.id)],
    },
    page,
  );

/** A link, locked: somebody else may be about to end it. */
export async function shareLinkOf(q: Query, shareLinkId: number): Promise<ShareLink | undefined> {
  const [found] = await forUpdate(q.select().from(shareLinks).where(eq(shareLinks.id, shareLinkId)));
  return found;
}

export async function deleteShareLink(q: Query, shareLinkId: number): Promise<void> {
  await q.delete(shareLinks).where(eq(shareLinks.id, shareLinkId));
}

interface Shared {
  readonly link: ShareLink;
  readonly project: typeof projects.$inferSelect;
}

// The key is the hash of a 256-bit secret: the timing of the comparison in the index does not help to guess the secret.
const byHash = prepared<{ hash: string; now: number }, Shared>(
  (q) =>
    q
      .select({ link: shareLinks, project: projects })
      .from(shareLinks)
      .innerJoin(projects, eq(projects.id, shareLinks.projectId))
      .where(
        and(
          eq(shareLinks.hash, sql`${sql.placeholder('hash')}`),
          gt(shareLinks.expiresAt, sql`${sql.placeholder('now')}`),
          byMember,
        ),
      ),
  'testmgmt_share_link',
);

/** The live link of a code, with its project. */
export async function sharedBy(q: Query, code: string, now: number): Promise<Shared | undefined> {
  const [found] = await byHash(q, { hash: codeHash(code), now });
  return found;
}

export async function runOfLink(q: Query, runId: number): Promise<typeof runs.$inferSelect | undefined> {
  const [run] = await q
    .select()
    .from(runs)
    .where(and(eq(runs.id, runId), isNull(runs.deletedAt)));
  return run;
}

/** Links that one statement deletes. */
const deletedAtOnce = 500;

/** Deletes some links that have expired. @returns whether there may be more. */
export async function deleteExpired(q: Query, now: number): Promise<boolean> {
  const expired = lte(shareLinks.expiresAt, now);
  return (await deleteChunk(q, shareLinks.id, expired, deletedAtOnce)) === deletedAtOnce;
}
