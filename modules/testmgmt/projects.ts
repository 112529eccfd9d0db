import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { roleIn, type Actor } from '../../core/actor.ts';
import { countRows } from '../../core/db/columns.ts';
import { prepared, type Query } from '../../core/db/db.ts';
import { refuse } from './errors.ts';
import { usualOptions } from './options.ts';
import { options, projects, runs, tests } from './schema.ts';

export type Project = typeof projects.$inferSelect;

/** A project with what a record shows besides its row. */
export type CountedProject = Project & { readonly testsCount: number; readonly runsCount: number };

const projectById = prepared<{ id: number }, Project>(
  (q) =>
    q
      .select()
      .from(projects)
      .where(eq(projects.id, sql.placeholder('id'))),
  'testmgmt_project_by_id',
);

/**
 * The project, if the actor may do this with it. Reads with the given `q`, so that a write checks inside its transaction.
 * @throws Fault PROJECT_NOT_FOUND (also for another organization's), FORBIDDEN, PROJECT_INACTIVE for a write.
 */
export async function projectFor(
  q: Query,
  actor: Actor,
  projectId: number,
  right: 'read' | 'write',
): Promise<Project> {
  const [project] = await projectById(q, { id: projectId });
  if (!project || roleIn(actor, project.orgId, right) === 'hidden') {
    throw refuse.PROJECT_NOT_FOUND(`There is no project ${projectId}.`);
  }
  if (right === 'write' && !project.isActive) {
    throw refuse.PROJECT_INACTIVE(`Project ${projectId} is inactive and takes no changes.`);
  }
  return project;
}

/** @throws Fault ORGANIZATION_NOT_FOUND (also for one the actor is not a member of), FORBIDDEN. */
export function requireOrganization(actor: Actor, orgId: number, right: 'read' | 'write'): void {
  if (roleIn(actor, orgId, right) === 'hidden') {
    throw refuse.ORGANIZATION_NOT_FOUND(`There is no organization ${orgId}.`);
  }
}

/** Stores a project with the usual options of a new one. */
export async function insertProject(
  q: Query,
  row: Omit<typeof projects.$inferInsert, 'id'>,
): Promise<CountedProject> {
  const [project] = await q.insert(projects).values(row).returning();
  if (!project) throw new Error('the project was not stored');
  const rows = Object.entries(usualOptions).flatMap(([kind, names]) =>
    names.map((name, position) => ({
      projectId: project.id,
      kind: kind as keyof typeof usualOptions,
      name,
      position,
    })),
  );
  await q.insert(options).values(rows);
  return { ...project, testsCount: 0, runsCount: 0 };
}

/** All projects of an organization, oldest first. */
export async function projectsOf(q: Query, orgId: number): Promise<readonly CountedProject[]> {
  const found = await q.select().from(projects).where(eq(projects.orgId, orgId)).orderBy(asc(projects.id));
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const testCounts = await q
    .select({ projectId: tests.projectId, count: countRows() })
    .from(tests)
    .where(and(inArray(tests.projectId, ids), isNull(tests.deletedAt)))
    .groupBy(tests.projectId);
  const runCounts = await q
    .select({ projectId: runs.projectId, count: countRows() })
    .from(runs)
    .where(and(inArray(runs.projectId, ids), isNull(runs.deletedAt)))
    .groupBy(runs.projectId);
  const of = (counts: ReadonlyArray<{ projectId: number; count: number }>, id: number) =>
    counts.find(({ projectId }) => projectId === id)?.count ?? 0;
  return found.map((project) => ({
    ...project,
    testsCount: of(testCounts, project.id),
    runsCount: of(runCounts, project.id),
  }));
}
