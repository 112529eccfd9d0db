import { and, asc, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import type { Named } from '../metadata/label-store.ts';
import type { configurationGroups, milestones, plans } from '../base/planning-schema.ts';
import { projects, type runs, type tests } from '../base/schema.ts';

/** Rows that one statement reads. */
const rowsPerSearch = 1_000;

/**
 * Tests or runs of a project by name, ignoring case. There is no index by name: they are read in chunks, so that a project of 100,000 tests
 * does not block other requests.
 */
export async function recordsNamed(
  q: Query,
  table: typeof tests | typeof runs,
  wanted: { readonly projectId: number; readonly name: string; readonly signal: AbortSignal },
): Promise<readonly Named[]> {
  const { projectId, name, signal } = wanted;
  const found: Named[] = [];
  for (let after = 0; ;) {
    const chunk = await q
      .select({
        id: table.id,
        isNamed: sql<number>`case when lower(${table.name}) = lower(${name.trim()}) then 1 else 0 end`,
      })
      .from(table)
      .where(and(eq(table.projectId, projectId), isNull(table.deletedAt), gt(table.id, after)))
      .orderBy(asc(table.id))
      .limit(rowsPerSearch);
    for (const { id, isNamed } of chunk)
      if (Number(isNamed) === 1 && found.length < rowsPerSearch) found.push({ id, name });
    const last = chunk.at(-1);
    if (!last || chunk.length < rowsPerSearch) break;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  return q.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, ids));
}

export const projectNamesIn = (q: Query, orgIds: readonly number[]): Promise<readonly Named[]> =>
  q
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(inArray(projects.orgId, [...orgIds]))
    .orderBy(asc(projects.id))
    .limit(rowsPerSearch);

/** Records of a project of which there are few, the newest first. */
export const rowsOfProject = async (
  q: Query,
  table: typeof milestones | typeof plans | typeof configurationGroups,
  projectId: number,
): Promise<readonly Named[]> =>
  q
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(eq(table.projectId, projectId))
    .orderBy(desc(table.id))
    .limit(rowsPerSearch);
