import { and, eq, isNull } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { projects, runs, sections, tests } from '../base/schema.ts';
import { visibleProject } from '../projects/project-store.ts';

/* For clients that name a record by its id alone: in Trivet most operations also take its project. */

const ofKind = {
  run: { table: runs, missing: fail.RUN_NOT_FOUND },
  test: { table: tests, missing: fail.TEST_NOT_FOUND },
  section: { table: sections, missing: fail.SECTION_NOT_FOUND },
} as const;

/**
 * The project of a record that is not deleted.
 * @throws Fault RUN_NOT_FOUND, TEST_NOT_FOUND, SECTION_NOT_FOUND: also for a record of an organization that the actor is not a member of.
 */
export async function projectOfRecord(
  q: Query,
  actor: Actor,
  kind: keyof typeof ofKind,
  id: number,
): Promise<number> {
  const { table, missing } = ofKind[kind];
  const [found] = await q
    .select({ projectId: table.projectId })
    .from(table)
    .where(and(eq(table.id, id), isNull(table.deletedAt)));
  if (!found || !(await visibleProject(q, actor, found.projectId, 'read')))
    throw missing(`There is no ${kind} ${id}.`);
  return found.projectId;
}

/** The parents of sections; null at the top. @param ids at most some thousands, of a project that the caller may read. */
export async function parentsOfSections(
  q: Query,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await q
    .select({ id: sections.id, parentId: sections.parentId })
    .from(sections)
    .where(inValues(sections.id, ids));
  return new Map(rows.map(({ id, parentId }) => [id, parentId]));
}

/** The descriptions of projects or runs that the caller may read. */
export async function descriptionsOf(
  q: Query,
  kind: 'project' | 'run',
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const table = kind === 'run' ? runs : projects;
  const found = new Map<number, string>();
  for (let at = 0; at < ids.length; at += descriptionsAtOnce) {
    const rows = await q
      .select({ id: table.id, description: table.description })
      .from(table)
      .where(inValues(table.id, ids.slice(at, at + descriptionsAtOnce)));
    for (const { id, description } of rows) found.set(id, description);
    if (turnIsOver()) await nextTurn();
  }
  return found;
}

/** A description has at most 20,000 characters. */
const descriptionsAtOnce = 200;
