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

/** A test that gets a new name. */
export interface AcceptedRename {
  readonly testId: number;
  readonly from: AutomationKey;
  readonly to: AutomationKey;
  readonly file?: string | null | undefined;
  /** Its key when the rename was found. */
  readonly present: AutomationKey;
}

/**
 * Gives the tests their new keys; the old ones become aliases. A test named after one of its keys is renamed, too; a test that a person
 * named keeps its name. In a transaction that locks the project to change it.
 * @returns the renames that were made. If two concurrent uploads take one test for two others, or one of them created a test for the new
 * name, the first upload wins.
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

/** The renames whose test still has the name that was found, and whose new name belongs to no other test. */
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
