import type { Query } from '../../../core/db/query/db.ts';
import { inTurns } from '../../../core/base/turns.ts';
import type { ChangedFields } from '../cases/case-store.ts';
import { changeTests, insertTests, undeleteTests } from '../cases/case-write-store.ts';
import { insertExternalIds, testsByExternalId } from '../external-ids/external-id-store.ts';
import type { ReadFile } from '../import-files/import-file.ts';
import type { ImportedTest } from '../import-files/text/imported-test.ts';
import { namesOfTests } from '../pipelines/matching/automation-key-store.ts';
import { insertLinks, linksByTest } from '../links/link-store.ts';
import type { FieldDefinition } from '../rules/field-value.ts';
import { importedLinks } from './import-links.ts';
import { resolvedTest, type NameIndex } from './import-resolution.ts';
import { clearedFields, updatesOf, type KnownTest, type ImportUpdates } from './import-update-store.ts';

interface Import {
  readonly projectId: number;
  /** Where the external ids are of; null: the file has none. */
  readonly source: string | null;
  readonly file: ReadFile;
  readonly known: ReadonlyMap<string, FieldDefinition>;
  readonly signal: AbortSignal;
}

/** What an import does with the tests of its file. */
interface ImportPlan extends ImportUpdates {
  /** For each test of the file the one that it is; undefined: a new one. */
  readonly testIds: ReadonlyArray<number | undefined>;
}

/** @param index has an id for every name of the file; in a dry run some are invented. */
export async function planImport(q: Query, index: NameIndex, given: Import): Promise<ImportPlan> {
  const { projectId, source, file, known, signal } = given;
  const ids = file.externalIds.flatMap((id) => id ?? []);
  if (source === null || ids.length === 0)
    return { testIds: file.tests.map(() => undefined), changes: [], restored: [] };
  const byId = await testsByExternalId(q, { projectId, source }, ids, signal);
  const testIds = file.externalIds.map((id) => (id === undefined ? undefined : byId.get(id)));
  const cleared = clearedFields(file.supplied, known);
  const found = await rowOfEach(q, testIds, file.tests);
  const fieldsAt = (at: number): ChangedFields => {
    const test = file.tests[at];
    return test ? foundFields(cleared, index, test) : {};
  };
  return { testIds, ...(await updatesOf(q, projectId, { found, fieldsAt }, signal)) };
}

/**
 * The row of each known test. Tests that were merged have several ids: the row that has the test's name is its own, otherwise the first one
 * has the say. The same file again would else give it the name of the test that was merged away.
 */
async function rowOfEach(
  q: Query,
  testIds: ReadonlyArray<number | undefined>,
  tests: readonly ImportedTest[],
): Promise<readonly KnownTest[]> {
  const rows = testIds.flatMap((testId, at) => (testId === undefined ? [] : [{ testId, at }]));
  const byTest = Map.groupBy(rows, ({ testId }) => testId);
  const doubled = [...byTest].flatMap(([testId, { length }]) => (length > 1 ? [testId] : []));
  const names = doubled.length === 0 ? undefined : await namesOfTests(q, doubled);
  return [...byTest].flatMap(([testId, ofTest]) => {
    const own = names && ofTest.find(({ at }) => tests[at]?.testName === names.get(testId));
    return own ?? ofTest.slice(0, 1);
  });
}

function foundFields(cleared: ChangedFields, index: NameIndex, test: ImportedTest): ChangedFields {
  const own = { ...cleared.fields, ...test.fields };
  // A resolved test has a list of labels, also where its file has none.
  const { labels = [], ...resolved } = resolvedTest(index, test);
  return {
    ...cleared,
    ...resolved,
    ...(test.labels !== undefined && { labels }),
    ...(Object.keys(own).length > 0 ? { fields: own } : {}),
  };
}

interface Author {
  readonly by: number;
  readonly now: number;
  readonly progress: (stored: number) => void;
}

/** Writes a plan through the write path of tests. @returns the ids of the tests that were created or changed. */
export async function writeImport(
  q: Query,
  { index, plan, given }: { readonly index: NameIndex; readonly plan: ImportPlan; readonly given: Import },
  { by, now, progress }: Author,
): Promise<readonly number[]> {
  const { projectId, source, file, signal } = given;
  const author = { by, now, signal };
  if (plan.restored.length > 0) await undeleteTests(q, projectId, plan.restored, author);
  if (plan.changes.length > 0) await changeTests(q, plan.changes, author);
  const isNew = (at: number) => plan.testIds[at] === undefined;
  const created = file.tests.some((_test, at) => isNew(at))
    ? await insertTests(q, {
        ...author,
        projectId,
        items: file.tests
          .values()
          .filter((_test, at) => isNew(at))
          .map((test) => resolvedTest(index, test)),
        progress,
      })
    : [];
  const next = created.values();
  const ids = plan.testIds.map((testId) => testId ?? next.next().value);
  if (source !== null) {
    const rows = file.externalIds.flatMap((externalId, at) => {
      const testId = ids[at];
      return externalId !== undefined && isNew(at) && testId !== undefined ? [{ externalId, testId }] : [];
    });
    await insertExternalIds(q, { projectId, source }, rows, signal);
  }
  const hasLinks = (test: ImportedTest | undefined) =>
    (test?.refs ?? test?.defects ?? test?.otherLinks) !== undefined;
  const known = plan.testIds.flatMap((testId, at) =>
    testId !== undefined && hasLinks(file.tests[at]) ? [testId] : [],
  );
  const present = await linksByTest(q, known);
  await insertLinks(q, await inTurns(importedLinks(file.tests, ids, present), signal), {
    ...author,
    projectId,
  });
  return [...new Set([...created, ...plan.restored, ...plan.changes.map(({ test }) => test.id)])];
}
