import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { operationIn } from '../../../core/tools/operation.ts';
import { page } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { listPageOf, listPaging, projectId } from '../base/parameters.ts';
import { projectFor, projectToChange, visibleProject } from '../projects/project-store.ts';
import { askQuery } from '../query/query-store.ts';
import {
  changeSavedView,
  countOfOwner,
  deleteSavedView,
  insertSavedView,
  pageOfSavedViews,
  savedViewNamed,
  savedViewOf,
  type SavedView,
} from './saved-view-store.ts';

/** Only shared views are activity of a project: others do not see what one saves for oneself. */
const personalOperation = operationIn('extra');

/** Most views of a person in a project. */
const viewLimit = 100;

const surfaces = words(['tests', 'runs', 'run-tests'], {
  description: 'The list: get-tests, get-runs or get-run-tests-list.',
});

const viewId = recordId('From list-views.');

const viewRecord = {
  viewId: Type.Integer(),
  projectId: Type.Integer(),
  surface: surfaces,
  name: Type.String(),
  query: Type.String(),
  ownerId: Type.Integer({ description: 'Who saved it.' }),
  shared: Type.Boolean({ description: 'Everybody in the project sees it.' }),
  createdAt: Type.String(),
  updatedAt: Type.String(),
};

const viewRecordOf = (view: SavedView) => ({
  viewId: view.id,
  projectId: view.projectId,
  surface: view.surface,
  name: view.name,
  query: view.query,
  ownerId: view.ownerId,
  shared: view.shared,
  createdAt: isoTime(view.createdAt),
  updatedAt: isoTime(view.updatedAt),
});

const wroteView = ({ id, projectId: of }: SavedView) => ({
  projectId: of,
  records: { kind: 'view', ids: [id] },
});

export const saveView = personalOperation({
  name: 'save-view',
  title: 'Save a query under a name',
  description:
    'Saves a query under a name, for you or, with shared true, for everybody in the project. A name that you have used replaces that view; viewId changes or renames one. ' +
    `At most ${viewLimit} views a person and project.`,
  input: closedObject({
    projectId,
    surface: surfaces,
    name: Type.String({ minLength: 1, maxLength: 80, pattern: '\\S', description: 'Yours, not used twice.' }),
    query: Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      description: 'A query of that list.',
    }),
    shared: Type.Optional(Type.Boolean({ description: 'Default: as it was; a new one is yours alone.' })),
    viewId: Type.Optional(viewId),
  }),
  output: closedObject(viewRecord),
  access: member('read'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) => {
    const now = clock.now();
    const name = input.name.trim();
    const query = input.query.trim();
    return db.tx(async (q) => {
      const project = await visibleProject(q, actor, input.projectId, 'read', 'change');
      if (!project) throw fail.PROJECT_NOT_FOUND(`There is no project ${input.projectId}.`);
      const asked = askQuery(query, actor, { scope: input.surface, projectId: project.id, now, asOf: null });
      await asked.requireNames(q);
      const named = await savedViewNamed(q, { projectId: project.id, ownerId: actor.userId }, input);
      const before = input.viewId === undefined ? named : await viewToChange(q, actor, input.viewId);
      if (before && (before.projectId !== project.id || before.surface !== input.surface))
        throw viewNotFound(before.id);
      const shared = input.shared ?? before?.shared ?? false;
      // What others see is a write to the project.
      if (shared || before?.shared) await projectToChange(q, actor, project.id);
      const view = before
        ? await changed(q, before, { name, query, shared, updatedAt: now })
        : await created(q, {
            projectId: project.id,
            surface: input.surface,
            ownerId: actor.userId,
            name,
            query,
            shared,
            createdAt: now,
          });
      if (shared || before?.shared) wrote(wroteView(view));
      return viewRecordOf(view);
    });
  },
});

/** @throws Fault VIEW_EXISTS when its owner has another view of that name. */
async function changed(
  q: Query,
  before: SavedView,
  changes: Pick<SavedView, 'name' | 'query' | 'shared' | 'updatedAt'>,
): Promise<SavedView> {
  const other = await savedViewNamed(q, before, { surface: before.surface, name: changes.name });
  if (other && other.id !== before.id)
    throw fail.VIEW_EXISTS(`View ${other.id} has the name "${other.name}" already.`, { cause: 'name' });
  return changeSavedView(q, before.id, changes);
}

/** @throws Fault TOO_MANY_VIEWS. */
async function created(q: Query, row: Parameters<typeof insertSavedView>[1]): Promise<SavedView> {
  if ((await countOfOwner(q, row)) >= viewLimit)
    throw fail.TOO_MANY_VIEWS(`You have ${viewLimit} views of project ${row.projectId} already.`);
  return insertSavedView(q, row);
}

const viewNotFound = (id: number) =>
  fail.VIEW_NOT_FOUND(`There is no view ${id} that you may change.`, { cause: 'viewId' });

/**
 * A view of the actor; of a shared one also for an administrator.
 * @throws Fault VIEW_NOT_FOUND for a view that the actor does not see; FORBIDDEN.
 */
async function viewToChange(q: Query, actor: Actor, id: number): Promise<SavedView> {
  const view = await savedViewOf(q, id);
  const isOwn = view?.ownerId === actor.userId;
  if (!view || (!isOwn && !view.shared)) throw viewNotFound(id);
  if (!(await visibleProject(q, actor, view.projectId, isOwn ? 'read' : 'admin'))) throw viewNotFound(id);
  return view;
}

export const listViews = personalOperation({
  name: 'list-views',
  title: 'List saved queries',
  description: 'Lists the queries that you saved in a project under a name, and those that others share.',
  input: closedObject({ projectId, surface: Type.Optional(surfaces), ...listPaging }),
  output: page('views', closedObject(viewRecord)),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const owner = { projectId: input.projectId, ownerId: actor.userId };
    const { total, rows } = await pageOfSavedViews(q, owner, input.surface, { limit, offset });
    return { total, limit, offset, views: rows.map(viewRecordOf) };
  },
});

export const deleteView = personalOperation({
  name: 'delete-view',
  title: 'Delete a saved query',
  description:
    'Deletes a query that you saved under a name. An administrator also deletes those that others share.',
  input: closedObject({ viewId }),
  output: closedObject(viewRecord),
  access: member('read'),
  effect: 'delete',
  confirm: 'save-view saves it again.',
  handler: (input, { actor, db, wrote }) =>
    db.tx(async (q) => {
      const view = await viewToChange(q, actor, input.viewId);
      await deleteSavedView(q, view.id);
      if (view.shared) wrote(wroteView(view));
      return viewRecordOf(view);
    }),
});
