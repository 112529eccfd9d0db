import { isForProject } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import {
  namedIn,
  nameless,
  type IdListing,
  type IdListings,
  type NamedRecord,
} from '../../../core/tools/id-explanation.ts';
import { organizationIds, userIds } from '../../auth/index.ts';
import { testById } from '../cases/case-store.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { everyName } from '../metadata/label-store.ts';
import { projectNamesIn, recordsNamed, rowsOfProject } from './name-search-store.ts';
import { membershipsOf, visibleProject } from '../projects/project-store.ts';
import { byIdField, classifications, everyClassification } from '../rules/classification.ts';
import { split } from '../rules/name-list.ts';
import { pathKey, sectionPath } from '../rules/section-tree.ts';
import { runOf } from '../runs/run-store.ts';
import { configurationGroups, milestones, plans } from '../base/planning-schema.ts';
import { labels, runs, squads, tests } from '../base/schema.ts';
import { sectionsOf } from '../sections/section-store.ts';

type LookUp = IdListing['lookUp'];
type Named = NamedRecord & { readonly id: number };

/** Searches the project of the call, if the caller may see it. */
const ofProject =
  (lookUp: (q: Query, projectId: number, name: string, ctx: Context) => Promise<readonly Named[]>): LookUp =>
  async (ctx, name, input) => {
    const projectId = await projectOf(input, ctx);
    return projectId === undefined ? [] : lookUp(ctx.db.q, projectId, name, ctx);
  };

/** Records of a project that are few enough to be read whole; their names are taken in place of their ids. */
const listed = (
  tool: string,
  read: (q: Query, projectId: number) => Promise<readonly Named[]>,
): IdListing => ({
  tool,
  lookUp: ofProject(read),
  byName: async (ctx, input) => namedIn(await ofProject(read)(ctx, '', input)),
});

const labelIds = listed('get-labels', (q, projectId) => everyName(q, labels, projectId));
const squadIds = listed('get-squads', (q, projectId) => everyName(q, squads, projectId));

/** A section by its name, or by its path: `Checkout > Payment`. */
const sections: IdListing = {
  ...listed('get-sections', (q, projectId) => sectionsOf(q, projectId)),
  byName: async (ctx, input) => {
    const projectId = await projectOf(input, ctx);
    const all = projectId === undefined ? [] : await sectionsOf(ctx.db.q, projectId);
    const byId = new Map(all.map((section) => [section.id, section]));
    const named = namedIn(all);
    return (name) => {
      const path = split(name, '>');
      const key = pathKey(path);
      const ofPath =
        path.length < 2
          ? []
          : named(path.at(-1) ?? '').filter(({ id }) => pathKey(sectionPath(byId, id)) === key);
      // A name may contain the sign itself, as "Cart -> Checkout" does.
      return ofPath.length > 0 ? ofPath : named(name);
    };
  },
};

const inRecords = (table: typeof tests | typeof runs) =>
  ofProject((q, projectId, name, { signal }) => recordsNamed(q, table, { projectId, name, signal }));

const projectNames = async ({ db, actor }: Context) =>
  (await projectNamesIn(db.q, [...actor.roles.keys()])).filter(({ id }) => isForProject(actor, id));

const testIds: IdListing = { tool: 'get-tests', lookUp: inRecords(tests) };
const runIds: IdListing = { tool: 'get-runs', lookUp: inRecords(runs) };

/** The ids of the list that the call selects by its kind. */
const ofKind: IdListing = {
  tool: 'get-labels (get-squads, get-priority and the like)',
  lookUp: async (ctx, name, input) => {
    const { kind } = input;
    if (kind === 'label') return labelIds.lookUp(ctx, name, input);
    if (kind === 'squad') return squadIds.lookUp(ctx, name, input);
    const classification = everyClassification.find((one) => one === kind);
    if (!classification) return [];
    return ofProject((q, projectId) => valuesOf(q, projectId, classification))(ctx, name, input);
  },
};

/** Records whose names are not accepted in place of their ids; the refusal says the id. */
const planned = (tool: string, table: typeof milestones | typeof plans | typeof configurationGroups) => ({
  tool,
  lookUp: ofProject((q, projectId) => rowsOfProject(q, table, projectId)),
});
const milestoneIds = planned('get-milestones', milestones);

/** The listings of people and organizations know nothing of projects: a token for one would learn names of other organizations. */
const withinMemberships = ({ lookUp, ...listing }: IdListing): IdListing => ({
  ...listing,
  lookUp: async (ctx, name, input) => {
    const roles = await membershipsOf(ctx.db.q, ctx.actor);
    return lookUp({ ...ctx, actor: { ...ctx.actor, roles } }, name, input);
  },
});

const people = withinMemberships(userIds);

/** Every parameter that takes ids, at any depth, and how to find the ids by name. */
export const idParameters: IdListings = {
  orgId: withinMemberships(organizationIds),
  userId: people,
  ownerId: people,
  assignTo: people,
  projectId: {
    tool: 'get-projects',
    lookUp: projectNames,
    byName: async (ctx) => namedIn(await projectNames(ctx)),
  },
  testId: testIds,
  testIds,
  mergedTestId: testIds,
  runId: runIds,
  againstRunId: runIds,
  sectionId: sections,
  parentSectionId: sections,
  ...byIdField((kind) => listed(classifications[kind].tool, (q, projectId) => valuesOf(q, projectId, kind))),
  squadId: squadIds,
  milestoneId: milestoneIds,
  parentMilestoneId: milestoneIds,
  planId: planned('get-plans', plans),
  groupId: planned('get-configuration-groups', configurationGroups),
  attachmentId: nameless('list-attachments'),
  linkIds: nameless('list-links'),
  reviewId: nameless('list-reviews'),
  viewId: nameless('list-views'),
  shareLinkId: nameless('list-share-links'),
  activityId: nameless('list-activity'),
  ...Object.fromEntries(['id', 'fromId', 'intoId'].map((name) => [name, ofKind])),
  ...Object.fromEntries(['labels', 'addLabels', 'removeLabels'].map((name) => [name, labelIds])),
};

/** The project of a call by its id or its name, or the project of its run or test. */
async function projectOf(
  { projectId, runId, testId, tests: items }: Readonly<Record<string, unknown>>,
  ctx: Context,
): Promise<number | undefined> {
  const { q } = ctx.db;
  const visible = async (id: number | undefined) =>
    id !== undefined && (await visibleProject(q, ctx.actor, id, 'read')) ? id : undefined;
  if (isId(projectId)) return visible(projectId);
  if (typeof projectId === 'string') {
    const found = namedIn(await projectNames(ctx))(projectId);
    return found.length === 1 ? found[0]?.id : undefined;
  }
  if (isId(runId)) return visible((await runOf(q, runId))?.projectId);
  const first = Array.isArray(items) ? (items[0] as { testId?: unknown } | null)?.testId : undefined;
  const known = [testId, first].find(isId);
  return known === undefined ? undefined : visible((await testById(q, { id: known }))[0]?.projectId);
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value);
