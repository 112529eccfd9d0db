import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { changeTests } from '../cases/case-write-store.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { testNameOf, type AutomationKey } from './automation-key.ts';
import { addKeys, namesOfTests, retireKeys } from './automation-key-store.ts';

/** A test that is called otherwise from now on. */
export interface AcceptedRename {
  readonly testId: number;
  readonly from: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string | undefined;
}

/**
 * The tests take their new keys; what they were called stays an alias. A test that has the name of its key takes the new one, too; one that
 * somebody named keeps its name.
 */
export async function acceptRenames(
  q: Query,
  renames: readonly AcceptedRename[],
  { projectId, by, now, signal }: { projectId: number; by: number; now: number; signal: AbortSignal },
): Promise<void> {
  for await (const part of partsInTurns(renames, idsPerQuery, signal)) {
    const ids = part.map(({ testId }) => testId);
    const names = await namesOfTests(q, ids);
    await retireKeys(q, ids);
    const keys = part.map(({ testId, to, file }) => ({ key: to, testId, file }));
    await addKeys(q, keys, { projectId, by, now, signal });
    const changes = part.flatMap(({ testId, from, to }) => {
      const testName = testNameOf(to);
      if (names.get(testId) !== testNameOf(from) || testName === testNameOf(from)) return [];
      return [{ test: { id: testId, projectId }, fields: { testName } }];
    });
    await changeTests(q, changes, { by, now, signal });
  }
}
