import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import { orgsWith, type Actor } from '../../../core/base/actor.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { follows } from '../base/following-schema.ts';
import { projects } from '../base/schema.ts';
import { projectsOfToken } from '../projects/project-store.ts';

type Follow = typeof follows.$inferSelect;

/** Follows a project, or no more. @returns whether that changed anything. */
export async function setFollow(
  q: Query,
  { projectId, userId, since }: Follow,
  follow: boolean,
): Promise<boolean> {
  const changed = follow
    ? await q
        .insert(follows)
        .values({ projectId, userId, since })
        .onConflictDoNothing()
        .returning({ projectId: follows.projectId })
    : await q
        .delete(follows)
        .where(and(eq(follows.projectId, projectId), eq(follows.userId, userId)))
        .returning({ projectId: follows.projectId });
  return changed.length > 0;
}

/** The projects that a user follows in some organizations, and since when. */
export async function pageOfFollowed(
  q: Query,
  actor: Actor,
  page: Page,
): Promise<CountedPage<{ readonly project: typeof projects.$inferSelect; readonly since: number }>> {
  const { userId } = actor;
  const orgIds = orgsWith(actor, 'read');
  const ofUser = q.select({ id: follows.projectId }).from(follows).where(eq(follows.userId, userId));
  const where = and(inValues(projects.orgId, orgIds), inArray(projects.id, ofUser), projectsOfToken(actor));
  const { total, rows } = await countedPage(q, projects, { where, orderBy: [asc(projects.id)] }, page);
  const ids = rows.map(({ id }) => id);
  const since = new Map(
    (
      await q
        .select()
        .from(follows)
        .where(and(eq(follows.userId, userId), inValues(follows.projectId, ids)))
    ).map((follow) => [follow.projectId, follow.since]),
  );
  return { total, rows: rows.map((project) => ({ project, since: since.get(project.id) ?? 0 })) };
}

export async function hasFollowers(q: Query, projectId: number): Promise<boolean> {
  const found = q.select({ userId: follows.userId }).from(follows).where(eq(follows.projectId, projectId));
  return (await found.limit(1)).length > 0;
}

const followersAtOnce = 1_000;

/** Who follows a project, by id. */
export async function followersOf(q: Query, projectId: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let after = 0; ;) {
    const rows = await q
      .select({ userId: follows.userId })
      .from(follows)
      .where(and(eq(follows.projectId, projectId), gt(follows.userId, after)))
      .orderBy(asc(follows.userId))
      .limit(followersAtOnce);
    for (const { userId } of rows) found.push(userId);
    const last = rows.at(-1);
    if (!last || rows.length < followersAtOnce) return found;
    after = last.userId;
  }
}

/** Whether somebody follows a project now. */
export async function isFollower(q: Query, projectId: number, userId: number): Promise<boolean> {
  const one = and(eq(follows.projectId, projectId), eq(follows.userId, userId));
  return (await q.select({ since: follows.since }).from(follows).where(one)).length > 0;
}

/** What one account followed, the account that it became part of follows. */
export async function moveFollows(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  const moved = await q.delete(follows).where(eq(follows.userId, fromUserId)).returning();
  for (const { projectId, since } of moved)
    await q.insert(follows).values({ projectId, userId: intoUserId, since }).onConflictDoNothing();
}
