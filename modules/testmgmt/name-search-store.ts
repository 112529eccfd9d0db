import { and, asc, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Query } from '../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../core/turns.ts';
import { projects, type runs, type tests } from './schema.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Records that one statement looks through. */
const lookedThrough = 1_000;

/**
 * Tests or runs of a project by name, whatever the case. They have no index by name: they are read in parts, so that a project of
 * 100,000 holds up nobody.
 */
export async function recordsNamed(
  q: Query,
  table: typeof tests | typeof runs,
  {
    projectId,
    name,
    signal,
  }: { readonly projectId: number; readonly name: string; readonly signal: AbortSignal },
): Promise<readonly Named[]> {
  const found: Named[] = [];
  for (let after = 0; ;) {
    const part = await q
      .select({
        id: table.id,
        isNamed: sql<number>`case when lower(${table.name}) = lower(${name.trim()}) then 1 else 0 end`,
      })
      .from(table)
      .where(and(eq(table.projectId, projectId), isNull(table.deletedAt), gt(table.id, after)))
      .orderBy(asc(table.id))
      .limit(lookedThrough);
    for (const { id, isNamed } of part)
      if (Number(isNamed) === 1 && found.length < lookedThrough) found.push({ id, name });
    const last = part.at(-1);
    if (!last || part.length < lookedThrough) break;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  return q.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, ids));
}

/** The names of the projects of some organizations. */
export const projectNamesIn = (q: Query, orgIds: readonly number[]): Promise<readonly Named[]> =>
  q
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(inArray(projects.orgId, [...orgIds]))
    .orderBy(asc(projects.id))
    .limit(lookedThrough);
