import { and, asc, eq, ne, or } from 'drizzle-orm';
import { byCodePoint, forUpdate } from '../../../core/db/query/columns.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import type { MergedUsers } from '../../../core/base/write-entry.ts';
import { countedPage, countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { savedViews } from './saved-view-schema.ts';

export type SavedView = typeof savedViews.$inferSelect;
type ViewSurface = SavedView['surface'];

/** A person's views of a project. */
interface ViewOwner {
  readonly projectId: number;
  readonly ownerId: number;
}

const ofOwner = ({ projectId, ownerId }: ViewOwner) =>
  and(eq(savedViews.projectId, projectId), eq(savedViews.ownerId, ownerId));

export const countOfOwner = (q: Query, owner: ViewOwner): Promise<number> =>
  countOf(q, savedViews, ofOwner(owner));

/** A view, locked: somebody else may be about to delete it. */
export async function savedViewOf(q: Query, viewId: number): Promise<SavedView | undefined> {
  const [found] = await forUpdate(q.select().from(savedViews).where(eq(savedViews.id, viewId)));
  return found;
}

/** The view that its owner gave this name, whatever its case, locked. */
export async function savedViewNamed(
  q: Query,
  owner: ViewOwner,
  { surface, name }: Pick<SavedView, 'surface' | 'name'>,
): Promise<SavedView | undefined> {
  const [found] = await forUpdate(
    q
      .select()
      .from(savedViews)
      .where(and(ofOwner(owner), eq(savedViews.surface, surface), eq(savedViews.nameKey, nameKey(name)))),
  );
  return found;
}

export async function insertSavedView(
  q: Query,
  row: Omit<SavedView, 'id' | 'nameKey' | 'updatedAt'>,
): Promise<SavedView> {
  const values = { ...row, nameKey: nameKey(row.name), updatedAt: row.createdAt };
  const [made] = await q.insert(savedViews).values(values).returning();
  if (!made) throw new Error('the view was not stored');
  return made;
}

export async function changeSavedView(
  q: Query,
  viewId: number,
  changes: Pick<SavedView, 'name' | 'query' | 'shared' | 'updatedAt'>,
): Promise<SavedView> {
  const [changed] = await q
    .update(savedViews)
    .set({ ...changes, nameKey: nameKey(changes.name) })
    .where(eq(savedViews.id, viewId))
    .returning();
  if (!changed) throw new Error('the view is gone');
  return changed;
}

export async function deleteSavedView(q: Query, viewId: number): Promise<void> {
  await q.delete(savedViews).where(eq(savedViews.id, viewId));
}

/** One page of what a person sees: the own views, and those that others share, by name. */
export const pageOfSavedViews = (
  q: Query,
  { projectId, ownerId }: ViewOwner,
  surface: ViewSurface | undefined,
  page: Page,
): Promise<CountedPage<SavedView>> =>
  countedPage(
    q,
    savedViews,
    {
      where: and(
        eq(savedViews.projectId, projectId),
        or(eq(savedViews.ownerId, ownerId), eq(savedViews.shared, true)),
        surface === undefined ? undefined : eq(savedViews.surface, surface),
      ),
      orderBy: [byCodePoint(savedViews.nameKey), asc(savedViews.id)],
    },
    page,
  );

/** The views of one account are those of the account that it became part of. A name that both have says whose it was. */
export async function moveSavedViews(q: Query, { fromUserId, intoUserId }: MergedUsers): Promise<void> {
  const moved = await q.select().from(savedViews).where(eq(savedViews.ownerId, fromUserId));
  for (const view of moved) {
    const taken = await savedViewNamed(q, { projectId: view.projectId, ownerId: intoUserId }, view);
    const name = taken ? `${view.name} (${fromUserId})` : view.name;
    await q
      .update(savedViews)
      .set({ ownerId: intoUserId, name, nameKey: nameKey(name) })
      .where(and(eq(savedViews.id, view.id), ne(savedViews.ownerId, intoUserId)));
  }
}
