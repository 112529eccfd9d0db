import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import { byCodePoint } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type CountedPage, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { labels, type squads } from '../base/schema.ts';
import { everyRow, rowsPerInsert, rowsPerRead } from '../base/statement-sizes.ts';

/** Labels and squads: lists of names that are unique within a project. */
export type Names = typeof labels | typeof squads;

export interface Named {
  readonly id: number;
  readonly name: string;
}

/** A name with its last author; null if it was changed before authors were recorded. */
export interface WrittenName extends Named {
  readonly updatedBy: number | null;
  readonly updatedAt: number | null;
}

/** Who writes names, and when. */
export interface NameAuthor {
  readonly by: number;
  readonly now: number;
}

/** One page of the names of a project in alphabetical order, and their total. */
export const pageOfNames = (
  q: Query,
  table: Names,
  projectId: number,
  page: Page,
): Promise<CountedPage<Named>> =>
  countedPage(
    q,
    table,
    { where: eq(table.projectId, projectId), orderBy: [byCodePoint(table.nameKey)] },
    page,
  );

/** All names of a project. */
export const everyName = (
  q: Query,
  table: Names,
  projectId: number,
): Promise<ReadonlyArray<Named & { nameKey: string }>> =>
  everyRow((after) =>
    q
      .select({ id: table.id, name: table.name, nameKey: table.nameKey })
      .from(table)
      .where(and(eq(table.projectId, projectId), gt(table.id, after)))
      .orderBy(asc(table.id))
      .limit(rowsPerRead),
  );

/**
 * Adds names to a project. Existing names are reused unchanged.
 * @returns the id and the stored name for each given name, in order.
 * @throws Fault PROJECT_FULL.
 */
export async function addNames(
  q: Query,
  table: Names,
  projectId: number,
  given: readonly string[],
  { by, now, signal }: NameAuthor & { readonly signal: AbortSignal },
): Promise<readonly WrittenName[]> {
  const firsts = new Map<string, string>();
  for (const name of given) {
    if (!firsts.has(nameKey(name))) firsts.set(nameKey(name), name.trim());
  }
  const rows = [...firsts].map(([key, name]) => ({
    projectId,
    name,
    nameKey: key,
    updatedBy: by,
    updatedAt: now,
  }));
  for await (const part of partsInTurns(rows, rowsPerInsert, signal))
    await q
      .insert(table)
      .values([...part])
      .onConflictDoNothing();
  const count = await countOf(q, table, eq(table.projectId, projectId));
  requireRoom(table === labels ? 'labels' : 'squads', count);
  const byKey = new Map<string, WrittenName>();
  for await (const keys of partsInTurns([...firsts.keys()], rowsPerInsert, signal)) {
    const isOne = and(eq(table.projectId, projectId), inArray(table.nameKey, keys));
    for (const row of await q.select().from(table).where(isOne)) byKey.set(row.nameKey, row);
  }
  return given.map((name) => {
    const row = byKey.get(nameKey(name));
    if (!row) throw new Error('a name was not stored');
    return row;
  });
}
