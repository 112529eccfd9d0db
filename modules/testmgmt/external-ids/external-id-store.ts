import { and, eq, inArray } from 'drizzle-orm';
import { partsInTurns } from '../../../core/base/turns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { externalIds } from '../base/import-schema.ts';
import { linksPerInsert, rowsPerRead } from '../base/statement-sizes.ts';

interface Source {
  readonly projectId: number;
  readonly source: string;
}

/** The tests that have these ids in a source, deleted ones too, by external id. Yields to other requests. */
export async function testsByExternalId(
  q: Query,
  { projectId, source }: Source,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const part of partsInTurns(ids, rowsPerRead, signal)) {
    const rows = await q
      .select({ externalId: externalIds.externalId, testId: externalIds.testId })
      .from(externalIds)
      .where(
        and(
          eq(externalIds.projectId, projectId),
          eq(externalIds.source, source),
          inArray(externalIds.externalId, [...part]),
        ),
      );
    for (const { externalId, testId } of rows) found.set(externalId, testId);
  }
  return found;
}

/** Stores the ids of new tests. Yields to other requests. */
export async function insertExternalIds(
  q: Query,
  { projectId, source }: Source,
  rows: ReadonlyArray<{ readonly externalId: string; readonly testId: number }>,
  signal: AbortSignal,
): Promise<void> {
  for await (const part of partsInTurns(rows, linksPerInsert, signal))
    await q.insert(externalIds).values(part.map((row) => ({ ...row, projectId, source })));
}

/** Gives the ids of a test to the one that it became a part of. */
export async function moveExternalIds(
  q: Query,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await q.update(externalIds).set({ testId: to }).where(eq(externalIds.testId, from));
}
