import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { changeTests } from '../cases/case-write-store.ts';
import { idsPerQuery } from '../statement-sizes.ts';
import { keyParts, testNameOf, type AutomationKey } from './automation-key.ts';
import { addKeys, keysOfRenamedTests, namesOfTests, retireKeys } from './automation-key-store.ts';

/** A test that is called otherwise from now on. */
export interface AcceptedRename {
  readonly testId: number;
  readonly from: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string | null | undefined;
}

/**
 * The tests take their new keys; what they were called stays an alias. A test that has the name of one of its keys takes the new one, too;
 * one that somebody named keeps its name.
 */
export async function acceptRenames(
  q: Query,
  renames: readonly AcceptedRename[],
  { projectId, by, now, signal }: { projectId: number; by: number; now: number; signal: AbortSignal },
): Promise<void> {
  for await (const part of partsInTurns(renames, idsPerQuery, signal)) {
    const ids = part.map(({ testId }) => testId);
    const names = await namesOfTests(q, ids);
    const others = await keysOfRenamedTests(q, ids, signal);
    await retireKeys(q, ids);
    const keys = part.map(({ testId, to, file }) => ({ key: to, testId, file }));
    await addKeys(q, keys, { projectId, by, now, signal });
    const changes = part.flatMap(({ testId, from, to }) => {
      const [testName, name] = [testNameOf(to), names.get(testId)];
      const before = [from, ...(others.get(testId) ?? []).map((row) => keyParts(row.key, row))];
      if (name === testName || !before.some((key) => testNameOf(key) === name)) return [];
      return [{ test: { id: testId, projectId }, fields: { testName } }];
    });
    await changeTests(q, changes, { by, now, signal });
  }
}
