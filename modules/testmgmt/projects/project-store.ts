import { and, asc, eq, sql, type SQL } from 'drizzle-orm';
import { isForProject, mayInProject, orgsWith, roleIn, type Actor } from '../../../core/base/actor.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import { forExclusive, forKeyShare, forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import type { Surface } from '../../../core/base/write-entry.ts';
import { fail } from '../base/errors.ts';
import { needsReview } from '../rules/review-mode.ts';
import { classifications, everyClassification } from '../rules/classification.ts';
import { classificationValues, projects } from '../base/schema.ts';

export type Project = typeof projects.$inferSelect;

/** The rights of an actor in a project. `admin` is for administrators of its organization only. */
export type Right = 'read' | 'write' | 'admin';

const projectBy = (lock: <S extends object>(select: S) => S, name: string) =>
  prepared<{ id: number }, Project>(
    (q) =>
      lock(
        q
          .select()
          .from(projects)
          .where(eq(projects.id, sql.placeholder('id'))),
      ),
    name,
  );

const projectById = projectBy((select) => select, 'testmgmt_project_by_id');

/**
 * How a transaction locks the project that it writes to, before it reads anything else of it:
 * - `change`: it checks or changes names, counts or the tree of the project.
 * - `below`: it changes records whose own row it locks next, e.g. a run. Such writes run concurrently.
 * - `stop`: no write below the project may be in progress when this transaction commits.
 */
type ProjectLock = 'change' | 'below' | 'stop';

const projectLocked: Readonly<Record<ProjectLock, typeof projectById>> = {
  change: projectBy(forUpdate, 'testmgmt_project_to_change'),
  below: projectBy((select) => forKeyShare(select), 'testmgmt_project_below'),
  stop: projectBy(forExclusive, 'testmgmt_project_to_stop'),
};

/** The organization of a project, for any caller. */
export const organizationOfProject = async (q: Query, projectId: number): Promise<number | undefined> =>
  (await projectById(q, { id: projectId }))[0]?.orgId;

/** A project, for any caller. */
export const projectOf = async (q: Query, id: number): Promise<Project | undefined> =>
  (await projectById(q, { id }))[0];

/** Limits a list of projects to those that the credential may see: `isForProject` as a condition. */
export const projectsOfToken = ({ projectId }: Actor): SQL | undefined =>
  projectId === undefined ? undefined : eq(projects.id, projectId);

/**
 * The project, or null when it does not exist or is of an organization that the actor is not a member of.
 * @throws Fault FORBIDDEN when the role is too weak.
 */
export async function visibleProject(
  q: Query,
  actor: Actor,
  projectId: number,
  right: Right,
  lock?: ProjectLock,
): Promise<Project | null> {
  const [project] = await (lock ? projectLocked[lock] : projectById)(q, { id: projectId });
  return project && mayInProject(actor, project, right) ? project : null;
}

/** @throws Fault PROJECT_INACTIVE. */
export function requireActive({ id, isActive }: Project): void {
  if (!isActive) throw fail.PROJECT_INACTIVE(`Project ${id} is inactive and takes no changes.`);
}

/**
 * The project, if the actor has the right. An inactive project is read-only (docs/contract.md, Tests and runs).
 * @throws Fault PROJECT_NOT_FOUND (also for a project of another organization), FORBIDDEN, PROJECT_INACTIVE for a write.
 */
export async function projectFor(q: Query, actor: Actor, projectId: number, right: Right): Promise<Project> {
  const project = await visibleProject(q, actor, projectId, right);
  if (!project) throw projectNotFound(projectId);
  if (right !== 'read') requireActive(project);
  return project;
}

/**
 * Like {@link projectFor}, for a transaction that writes: locks the project.
 * @param options `testsFrom`: the write changes tests, and comes from there.
 * @throws Fault PROJECT_NOT_FOUND, FORBIDDEN, PROJECT_INACTIVE; REVIEW_REQUIRED with `testsFrom`.
 */
export async function projectToChange(
  q: Query,
  actor: Actor,
  projectId: number,
  {
    right = 'write',
    lock = 'change',
    testsFrom,
  }: { readonly right?: Right; readonly lock?: ProjectLock; readonly testsFrom?: Surface } = {},
): Promise<Project> {
  const project = await visibleProject(q, actor, projectId, right, lock);
  if (!project) throw projectNotFound(projectId);
  requireActive(project);
  if (testsFrom !== undefined) requireDirectWrite(project, testsFrom);
  return project;
}

/**
 * @param most tests of a call that becomes proposals by itself, if the call had more.
 * @throws Fault REVIEW_REQUIRED where changes of tests from there have to be proposals.
 */
export function requireDirectWrite({ id, review }: Project, surface: Surface, most?: number): void {
  if (needsReview(review, surface))
    throw fail.REVIEW_REQUIRED(
      `Changes of tests of project ${id} need a review${review === 'agents' ? ' if they come over MCP' : ''}. Nothing was written.`,
      {
        cause: 'review',
        ...(most === undefined
          ? {}
          : {
              tip: `Send at most ${most} tests in one call: they become proposals. A person approves them.`,
            }),
      },
    );
}

/**
 * The id of the project that a caller names by its id or its exact name.
 * @throws Fault PROJECT_NOT_FOUND; INVALID_REQUEST when several projects visible to the caller have the name.
 */
export async function projectNamed(q: Query, actor: Actor, text: string): Promise<number> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const orgs = orgsWith(actor, 'read');
  const found = await q
    .select({ id: projects.id })
    .from(projects)
    .where(and(inValues(projects.orgId, orgs), eq(projects.name, text.trim()), projectsOfToken(actor)))
    .orderBy(asc(projects.id))
    .limit(10);
  const [only, ...others] = found;
  if (!only)
    throw fail.PROJECT_NOT_FOUND(`There is no project "${text.slice(0, 255)}".`, { cause: 'project' });
  if (others.length > 0)
    throw fail.INVALID_REQUEST(
      `Several projects have this name. Give an id: ${found.map(({ id }) => id).join(', ')}.`,
      { cause: 'project' },
    );
  return only.id;
}

export const projectNotFound = (projectId: number) =>
  fail.PROJECT_NOT_FOUND(`There is no project ${projectId}.`);

/**
 * Whether an error about a record of one project may name the other: within an organization, and not for a token of one project, for which
 * the others do not exist.
 */
export async function mayName(q: Query, actor: Actor, projectId: number, otherId: number): Promise<boolean> {
  if (!isForProject(actor, otherId)) return false;
  const [project] = await projectById(q, { id: projectId });
  const [other] = await projectById(q, { id: otherId });
  return project !== undefined && project.orgId === other?.orgId;
}

/** The memberships that the credential may see: a token for one project sees those of its organization. */
export async function membershipsOf(q: Query, { roles, projectId }: Actor): Promise<Actor['roles']> {
  if (projectId === undefined) return roles;
  const orgId = await organizationOfProject(q, projectId);
  return new Map([...roles].filter(([id]) => id === orgId));
}

/** @throws Fault ORGANIZATION_NOT_FOUND (also when the actor is not a member), FORBIDDEN, also for a token of one project. */
export async function requireOrganization(
  q: Query,
  actor: Actor,
  orgId: number,
  right: Right,
): Promise<void> {
  if (actor.projectId !== undefined && right !== 'read')
    throw fail.FORBIDDEN(`This token is for project ${actor.projectId} only.`, {
      cause: 'scopes',
      tip: 'Use a token without project:ID.',
    });
  const isHidden = roleIn(actor, orgId, right) === 'hidden';
  if (isHidden || !(await membershipsOf(q, actor)).has(orgId)) {
    throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
  }
}

/** Stores a project with the default values of each classification. */
export async function insertProject(
  q: Query,
  row: Omit<typeof projects.$inferInsert, 'id'>,
): Promise<Project> {
  const [project] = await q.insert(projects).values(row).returning();
  if (!project) throw new Error('the project was not stored');
  const rows = everyClassification.flatMap((kind) =>
    classifications[kind].usual.map((name, position) => ({ projectId: project.id, kind, name, position })),
  );
  await q.insert(classificationValues).values(rows);
  return project;
}

/** Changes columns of an existing project. */
export async function changeProject(
  q: Query,
  projectId: number,
  changes: Partial<Pick<Project, 'name' | 'description' | 'isActive' | 'linkTemplates' | 'review'>> & {
    readonly updatedBy: number;
    readonly updatedAt: number;
  },
): Promise<Project> {
  const [project] = await q.update(projects).set(changes).where(eq(projects.id, projectId)).returning();
  if (!project) throw new Error('the project is gone');
  return project;
}

/** Changes the counts of a project by the given numbers, in the transaction that adds or removes the rows. */
export async function countInProject(
  q: Query,
  projectId: number,
  { tests = 0, runs = 0 }: { readonly tests?: number; readonly runs?: number },
): Promise<void> {
  if (tests === 0 && runs === 0) return;
  await q
    .update(projects)
    .set({
      testsCount: sql`${projects.testsCount} + ${tests}`,
      runsCount: sql`${projects.runsCount} + ${runs}`,
    })
    .where(eq(projects.id, projectId));
}

/** One page of the projects of an organization that the actor may see, oldest first, and their total. */
export const pageOfProjects = (
  q: Query,
  actor: Actor,
  orgId: number,
  page: Page,
): Promise<CountedPage<Project>> =>
  countedPage(
    q,
    projects,
    { where: and(eq(projects.orgId, orgId), projectsOfToken(actor)), orderBy: [asc(projects.id)] },
    page,
  );
