import { and, eq, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { imported, type ImportedKind } from '../base/schema.ts';

/** Rows of one statement. */
const rowsPerInsert = 250;
const idsPerQuery = 1_000;

interface ImportedRecord {
  readonly foreignId: number;
  readonly ourId: number;
}

/** Our ids of records of a source that were imported, by their ids there. Yields to other requests. */
export async function importedIds(
  q: Query,
  source: string,
  kind: ImportedKind,
  foreignIds: readonly number[],
  parentId = 0,
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for await (const part of partsInTurns(foreignIds, idsPerQuery)) {
    const rows = await q
      .select({ foreignId: imported.foreignId, ourId: imported.ourId })
      .from(imported)
      .where(
        and(
          eq(imported.source, source),
          eq(imported.kind, kind),
          eq(imported.parentId, parentId),
          inValues(imported.foreignId, part),
        ),
      );
    for (const { foreignId, ourId } of rows) found.set(foreignId, ourId);
  }
  return found;
}

/** Remembers records that were imported. For one that is known, our new id. */
export async function rememberImported(
  q: Query,
  given: {
    readonly source: string;
    readonly kind: ImportedKind;
    readonly parentId?: number;
    readonly at: number;
  },
  records: readonly ImportedRecord[],
): Promise<void> {
  const { source, kind, parentId = 0, at } = given;
  for await (const part of partsInTurns(records, rowsPerInsert))
    await q
      .insert(imported)
      .values(part.map((record) => ({ source, kind, parentId, at, ...record })))
      .onConflictDoUpdate({
        target: [imported.source, imported.kind, imported.parentId, imported.foreignId],
        set: { ourId: sql`excluded.our_id`, at: sql`excluded.at` },
      });
}
