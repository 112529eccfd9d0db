import { and, asc, eq, sql } from 'drizzle-orm';
import {
  amongSelected,
  inList,
  inValues,
  listedInt,
  listedRows,
  listedText,
  listValue,
  rowsValue,
  table,
} from '../../../../core/db/query/columns.ts';
import { countedPage, type Page } from '../../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../../core/db/query/db.ts';
import { givenInt } from '../../../../core/db/query/given-value.ts';
import { partsInTurns } from '../../../../core/base/turns.ts';
import { tests } from '../../base/schema.ts';
import { idsPerQuery, linksPerInsert } from '../../base/statement-sizes.ts';
import { keyHash, keyParts, keyText, nameIn, type AutomationKey } from './automation-key.ts';
import { automationKeyColumns, automationKeys } from '../../base/pipeline-schema.ts';

/** A key that the project knows. */
interface KnownKey {
  readonly id: number;
  readonly keyHash: string;
  readonly testId: number;
  readonly isAlias: boolean;
  /** Its test was deleted. */
  readonly deleted: boolean;
}

const byHashes = prepared<{ projectId: number; rows: string }, KnownKey>(
  (q) =>
    q
      .select({
        id: automationKeys.id,
        keyHash: automationKeys.keyHash,
        testId: automationKeys.testId,
        isAlias: automationKeys.isAlias,
        deleted: sql<boolean>`${tests.deletedAt} is not null`.mapWith(Boolean),
      })
      .from(automationKeys)
      .innerJoin(tests, eq(tests.id, automationKeys.testId))
      .where(
        and(
          eq(automationKeys.projectId, sql.placeholder('projectId')),
          amongSelected(automationKeys.keyHash, sql`select ${listedText(0)} from ${listedRows('rows')}`),
        ),
      ),
  'testmgmt_keys_by_hash',
);

/** The given keys that the project knows, by their digests. Yields to other requests. */
export async function knownKeys(
  q: Query,
  projectId: number,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KnownKey>> {
  const found = new Map<string, KnownKey>();
  for await (const part of partsInTurns(hashes, idsPerQuery, signal)) {
    const rows = await byHashes(q, { projectId, rows: rowsValue(part.map((hash) => [hash])) });
    for (const row of rows) found.set(row.keyHash, row);
  }
  return found;
}

/** Whether the project has any automation key: if not, an upload creates the tests that it names. */
export async function hasKeys(q: Query, projectId: number): Promise<boolean> {
  const [found] = await q
    .select({ id: automationKeys.id })
    .from(automationKeys)
    .where(eq(automationKeys.projectId, projectId))
    .limit(1);
  return found !== undefined;
}

/** The columns of a key without the id, which the database assigns, for an INSERT … SELECT. */
const appended = table('testmgmt_automation_keys', automationKeyColumns());

const insertKeys = prepared<{ rows: string; projectId: number; by: number; now: number }, never>(
  (q) =>
    q
      .insert(appended)
      .select(
        sql`select ${givenInt('projectId')}, ${listedText(0)}, ${listedText(1)}, ${listedInt(2)}, ${listedInt(3)}, ${listedInt(4)},
          false, ${listedText(5)}, ${givenInt('by')}, ${givenInt('now')} from ${listedRows('rows')} where true`,
      )
      .onConflictDoUpdate({
        target: [appended.projectId, appended.keyHash],
        set: { testId: sql`excluded.test_id`, isAlias: false },
      }),
  'testmgmt_insert_keys',
);

interface NewKey {
  readonly key: AutomationKey;
  readonly testId: number;
  readonly file?: string | null | undefined;
}

/** Adds keys to tests. A key that belonged to another test, e.g. a deleted one, now belongs to this test. */
export async function addKeys(
  q: Query,
  keys: readonly NewKey[],
  { projectId, by, now, signal }: { projectId: number; by: number; now: number; signal: AbortSignal },
): Promise<void> {
  for await (const part of partsInTurns(keys, linksPerInsert, signal)) {
    const rows = part.map(({ key, testId, file }) => {
      const text = keyText(key);
      const { nameFrom, nameTo } = nameIn(key);
      return [keyHash(text), text, nameFrom, nameTo, testId, file ?? null];
    });
    await insertKeys(q, { rows: rowsValue(rows), projectId, by, now });
  }
}

const ofTests = prepared<{ ids: unknown }, typeof automationKeys.$inferSelect>(
  (q) =>
    q
      .select()
      .from(automationKeys)
      .where(and(inList(automationKeys.testId, 'ids'), eq(automationKeys.isAlias, false)))
      .orderBy(asc(automationKeys.id)),
  'testmgmt_keys_of_tests',
);

/** The current keys of these tests. Yields to other requests. */
export async function keysOfTests(q: Query, testIds: readonly number[], signal: AbortSignal) {
  const found = new Map<number, { readonly key: AutomationKey; readonly file: string | null }>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    for (const row of await ofTests(q, { ids: listValue(ids) }))
      found.set(row.testId, { key: keyParts(row.key, row), file: row.file });
  }
  return found;
}

export type StoredKey = Pick<
  typeof automationKeys.$inferSelect,
  'testId' | 'key' | 'nameFrom' | 'nameTo' | 'isAlias' | 'file'
>;

const ofRenamedTests = prepared<{ ids: unknown }, StoredKey>(
  (q) =>
    q
      .select()
      .from(automationKeys)
      .where(
        and(
          inList(automationKeys.testId, 'ids'),
          sql`exists (select 1 from ${automationKeys} a where a.test_id = ${automationKeys.testId} and a.is_alias)`,
        ),
      )
      .orderBy(asc(automationKeys.id)),
  'testmgmt_keys_of_renamed_tests',
);

/** All keys of the given tests that have aliases. Yields to other requests. */
export async function keysOfRenamedTests(
  q: Query,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly StoredKey[]>> {
  const found: StoredKey[] = [];
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal))
    found.push(...(await ofRenamedTests(q, { ids: listValue(ids) })));
  return Map.groupBy(found, ({ testId }) => testId);
}

/** The tests of a project that have aliases. */
export async function renamedTests(q: Query, projectId: number): Promise<ReadonlySet<number>> {
  const rows = await q
    .selectDistinct({ testId: automationKeys.testId })
    .from(automationKeys)
    .where(and(eq(automationKeys.projectId, projectId), sql`is_alias`));
  return new Set(rows.map(({ testId }) => testId));
}

/** Turns the keys of tests into aliases, because the tests now have other keys. */
export const retireKeys = (q: Query, testIds: readonly number[]) =>
  q.update(automationKeys).set({ isAlias: true }).where(inValues(automationKeys.testId, testIds));

/** Moves all keys of a test to another one. The current key stays current, unless the other test has one. */
export const moveKeys = (q: Query, { from, to, asAlias }: { from: number; to: number; asAlias: boolean }) =>
  q
    .update(automationKeys)
    .set({ testId: to, ...(asAlias ? { isAlias: true } : {}) })
    .where(eq(automationKeys.testId, from));

/** One page of the keys of a project, or of one of its tests, and their total. */
export const pageOfKeys = (
  q: Query,
  { projectId, testId }: { readonly projectId: number; readonly testId?: number | undefined },
  page: Page,
) =>
  countedPage(
    q,
    automationKeys,
    {
      where: and(
        eq(automationKeys.projectId, projectId),
        testId === undefined ? undefined : eq(automationKeys.testId, testId),
      ),
      orderBy: [asc(automationKeys.testId), asc(automationKeys.id)],
    },
    page,
  );

/** The names of tests, including deleted ones. For few tests: a report names a hundred. */
export async function namesOfTests(
  q: Query,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await q
    .select({ id: tests.id, name: tests.name })
    .from(tests)
    .where(inValues(tests.id, testIds));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
