import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { testBatches } from '../cases/case-batch-store.ts';
import type { TestRecord } from '../cases/case-record.ts';
import { idsPerQuery } from '../base/statement-sizes.ts';
import { tests } from '../base/schema.ts';
import { byName } from '../rules/classification.ts';
import type { TestContent } from './case-content.ts';

/** Characters of texts after which a page ends. */
const textPerPage = 1024 * 1024;

const contentOf = (record: TestRecord): TestContent => ({
  testName: record.testName,
  section: record.sectionPath,
  testDescription: record.testDescription,
  preconditions: record.preconditions,
  steps: record.steps,
  ...byName((kind) => record[kind]),
  squad: record.squad,
  labels: record.labels.map(({ labelName }) => labelName),
  estimateSeconds: record.estimateSeconds,
});

interface Versioned {
  readonly testId: number;
  readonly version: number;
  readonly content: TestContent;
}

/** Tests of a project by id, at most so many and about 1 MiB. Yields to other requests. @returns also whether more follow. */
export async function contentsAfter(
  q: Query,
  projectId: number,
  { after, limit, signal }: { readonly after: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly tests: readonly Versioned[]; readonly more: boolean }> {
  const rows = await q
    .select({ id: tests.id, version: tests.version })
    .from(tests)
    .where(and(eq(tests.projectId, projectId), gt(tests.id, after), isNull(tests.deletedAt)))
    .orderBy(asc(tests.id))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const versions = new Map(page.map(({ id, version }) => [id, version]));
  const found: Versioned[] = [];
  let length = 0;
  for await (const records of testBatches(q, { projectId, ids: [...versions.keys()] }, signal)) {
    for (const record of records) {
      const content = contentOf(record);
      found.push({ testId: record.testId, version: versions.get(record.testId) ?? 1, content });
      length += content.testDescription.length + JSON.stringify(content.steps).length;
    }
    if (length > textPerPage) break;
  }
  return { tests: found, more: rows.length > limit || found.length < page.length };
}

/** The versions of the given tests that are in the project and not deleted. Yields to other requests. */
export async function presentVersions(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const versions = new Map<number, number>();
  for await (const ids of partsInTurns(testIds, idsPerQuery, signal)) {
    const rows = await q
      .select({ id: tests.id, version: tests.version })
      .from(tests)
      .where(and(inValues(tests.id, ids), eq(tests.projectId, projectId), isNull(tests.deletedAt)));
    for (const { id, version } of rows) versions.set(id, version);
  }
  return versions;
}

/** The same with their contents. */
export async function presentContents(
  q: Query,
  projectId: number,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Versioned>> {
  const versions = await presentVersions(q, projectId, testIds, signal);
  const found = new Map<number, Versioned>();
  const ids = [...versions.keys()];
  if (ids.length === 0) return found;
  for await (const records of testBatches(q, { projectId, ids }, signal))
    for (const record of records)
      found.set(record.testId, {
        testId: record.testId,
        version: versions.get(record.testId) ?? 1,
        content: contentOf(record),
      });
  return found;
}

/** Rows of names that one statement reads: about 2 ms. */
const namesAtOnce = 2_000;

/** The tests with one of these names, by name, oldest first. Yields to other requests. */
export async function testsNamed(
  q: Query,
  projectId: number,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlyArray<{ readonly id: number; readonly sectionId: number | null }>>> {
  const found = new Map<string, Array<{ readonly id: number; readonly sectionId: number | null }>>();
  for (let after = 0; names.size > 0;) {
    const rows = await q
      .select({ id: tests.id, name: tests.name, sectionId: tests.sectionId })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), gt(tests.id, after), isNull(tests.deletedAt)))
      .orderBy(asc(tests.id))
      .limit(namesAtOnce);
    for (const { id, name, sectionId } of rows)
      if (names.has(name)) found.set(name, [...(found.get(name) ?? []), { id, sectionId }]);
    const last = rows.at(-1);
    if (!last || rows.length < namesAtOnce) break;
    after = last.id;
    if (turnIsOver()) await nextTurn(signal);
  }
  return found;
}
