import type { Query } from '../../../../core/db/query/db.ts';
import { partsInTurns } from '../../../../core/base/turns.ts';
import { changeTests } from '../../cases/case-write-store.ts';
import { idsPerQuery } from '../../base/statement-sizes.ts';
import { keyHash, keyParts, keyText, testNameOf, type AutomationKey } from './automation-key.ts';
import {
  addKeys,
  keysOfRenamedTests,
  keysOfTests,
  knownKeys,
  namesOfTests,
  retireKeys,
} from './automation-key-store.ts';

/** A test that is called otherwise from now on. */
export interface AcceptedRename {
  readonly testId: number;
  readonly from: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string | null | undefined;
  /** Its key when the rename was found. */
  readonly present: AutomationKey;
}

/**
 * The tests take their new keys; what they were called stays an alias. A test that has the name of one of its keys takes the new one, too;
 * one that somebody named keeps its name. In a transaction that holds the project to change it.
 * @returns those that were done: of two uploads at once that take one test for two others, or where one created a test for the new name,
 * the first one is right.
 */
export async function acceptRenames(
  q: Query,
  renames: readonly AcceptedRename[],
  { projectId, by, now, signal }: { projectId: number; by: number; now: number; signal: AbortSignal },
): Promise<readonly AcceptedRename[]> {
  const accepted: AcceptedRename[] = [];
  for await (const given of partsInTurns(renames, idsPerQuery, signal)) {
    const part = await stillRight(q, given, { projectId, signal });
    if (part.length === 0) continue;
    accepted.push(...part);
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
  return accepted;
}

/** Those whose test is called as it was when they were found, and whose new name is no other test's. */
async function stillRight(
  q: Query,
  renames: readonly AcceptedRename[],
  { projectId, signal }: { readonly projectId: number; readonly signal: AbortSignal },
): Promise<readonly AcceptedRename[]> {
  const ids = renames.map(({ testId }) => testId);
  const hashOf = ({ to }: AcceptedRename) => keyHash(keyText(to));
  const present = await keysOfTests(q, ids, signal);
  const taken = await knownKeys(q, projectId, renames.map(hashOf), signal);
  return renames.filter((rename) => {
    const [key, other] = [present.get(rename.testId)?.key, taken.get(hashOf(rename))];
    const isFree = !other || other.isAlias || other.deleted;
    return isFree && key !== undefined && keyText(key) === keyText(rename.present);
  });
}
