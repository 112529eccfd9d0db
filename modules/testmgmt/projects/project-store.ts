import { asc, eq, sql } from 'drizzle-orm';
import { roleIn, type Actor } from '../../../core/actor.ts';
import { countedPage, type CountedPage, type Page } from '../../../core/db/counted-page.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import { fail } from '../errors.ts';
import { classifications, everyClassification } from '../rules/classification.ts';
import { classificationValues, projects } from '../schema.ts';

export type Project = typeof projects.$inferSelect;

/** What an actor may do with a project. `admin` is for administrators of its organization only. */
export type Right = 'read' | 'write' | 'admin';

const projectById = prepared<{ id: number }, Project>(
  (q) =>
    q
      .select()
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id'))),
  'testmgmt_project_by_id',
);

/**
 * The project, or null when it does not exist or is of an organization that the actor is not a member of.
 * Reads with the given `q`, so that a write checks inside its transaction.
 * @throws Fault FORBIDDEN when the role is too weak.
 */
export async function visibleProject(
  q: Query,
  actor: Actor,
  projectId: number,
  right: Right,
): Promise<Project | null> {
  const [project] = await projectById(q, { id: projectId });
  return project && roleIn(actor, project.orgId, right) === 'allowed' ? project : null;
}

/** @throws Fault PROJECT_INACTIVE. */
export function requireActive(project: Project): void {
  if (!project.isActive) {
    throw fail.PROJECT_INACTIVE(`Project ${project.id} is inactive and takes no changes.`);
  }
}

/**
 * The project, if the actor has the right. An inactive one is read-only (docs/contract.md, Tests and runs).
 * @throws Fault PROJECT_NOT_FOUND (also for another organization's), FORBIDDEN, PROJECT_INACTIVE for a write.
 */
export async function projectFor(q: Query, actor: Actor, projectId: number, right: Right): Promise<Project> {
  const project = await visibleProject(q, actor, projectId, right);
  if (!project) throw projectNotFound(projectId);
  if (right !== 'read') requireActive(project);
  return project;
}

export const projectNotFound = (projectId: number) =>
  fail.PROJECT_NOT_FOUND(`There is no project ${projectId}.`);

/** Whether two projects are of one organization: only then may an error about one name the other. */
export async function sameOrganization(q: Query, projectId: number, otherId: number): Promise<boolean> {
  const [project] = await projectById(q, { id: projectId });
  const [other] = await projectById(q, { id: otherId });
  return project !== undefined && project.orgId === other?.orgId;
}

/** @throws Fault ORGANIZATION_NOT_FOUND (also when the actor is not a member), FORBIDDEN. */
export function requireOrganization(actor: Actor, orgId: number, right: Right): void {
  if (roleIn(actor, orgId, right) === 'hidden') {
    throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
  }
}

/** Stores a project with the usual values of each classification. */
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
  changes: Partial<Pick<Project, 'name' | 'description' | 'isActive'>> & { readonly updatedAt: number },
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

/** One page of the projects of an organization, oldest first, and their number. */
export const pageOfProjects = (q: Query, orgId: number, page: Page): Promise<CountedPage<Project>> =>
  countedPage(q, projects, { where: eq(projects.orgId, orgId), orderBy: [asc(projects.id)] }, page);
