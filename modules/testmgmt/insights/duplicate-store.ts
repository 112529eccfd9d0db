import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { DuplicateNames, type DuplicateGroup } from '../rules/duplicate-name.ts';

/** Names that one statement reads: about 2 ms. */
const namesAtOnce = 1_000;

/** The groups of tests with the same name among the given ones. Yields to other requests. */
export async function duplicatesAmong(
  q: Query,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<readonly DuplicateGroup[]> {
  const names = new DuplicateNames();
  for await (const part of partsInTurns(ids, namesAtOnce, signal)) {
    const rows = await q
      .select({ id: tests.id, name: tests.name })
      .from(tests)
      .where(inValues(tests.id, part));
    for (const { id, name } of rows) names.see(id, name);
  }
  return names.groups();
}
