import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../core/db/db.ts';
import { fileAnswer, type FileAnswer } from '../../core/file-answer.ts';
import { csvLine } from './csv.ts';
import { tests } from './schema.ts';
import { labelsOf, wholeRecordOf } from './test-records.ts';
import { referencesOf } from './test-references.ts';
import { cellsOf, testColumns, type TestRecord } from './test-table.ts';
import type { Test } from './tests.ts';

/** So many tests are in memory at a time, however many a project has. */
const batch = 1_000;

const testsAfter = prepared<{ projectId: number; after: number }, Test>(
  (q) =>
    q
      .select()
      .from(tests)
      .where(
        and(
          eq(tests.projectId, sql.placeholder('projectId')),
          gt(tests.id, sql.placeholder('after')),
          isNull(tests.deletedAt),
        ),
      )
      .orderBy(asc(tests.id))
      .limit(batch),
  'testmgmt_tests_after',
);

/**
 * The whole records of a project's tests that are not deleted, oldest first, in batches. Read one batch after the other and
 * not in one transaction: each test is as it is at one moment, two tests may be of two moments.
 */
export async function* testBatches(q: Query, projectId: number): AsyncGenerator<readonly TestRecord[]> {
  const references = await referencesOf(q, projectId);
  for (let after = 0; ;) {
    const rows = await testsAfter(q, { projectId, after });
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const labels = await labelsOf(
      q,
      rows.map(({ id }) => id),
    );
    yield rows.map((test) => wholeRecordOf(test, labels.get(test.id) ?? [], references));
  }
}

interface Export {
  readonly projectId: number;
  /** How many there will be, for progress. */
  readonly total: number;
  readonly progress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** The tests of a project as one JSON document, `{"projectId", "tests": […]}`, each with every field. */
export function testsAsJson(q: Query, { projectId, ...told }: Export): FileAnswer {
  return fileAnswer(`tests-of-project-${projectId}.json`, 'application/json', async function* () {
    yield `{"projectId":${projectId},"tests":[`;
    let separator = '';
    for await (const records of watched(testBatches(q, projectId), told)) {
      yield `${separator}${records.map((record) => JSON.stringify(record)).join(',')}`;
      separator = ',';
    }
    yield ']}';
  });
}

/** The same as CSV (RFC 4180), a header and a row for each test; import-tests reads it back. */
export function testsAsCsv(q: Query, { projectId, ...told }: Export): FileAnswer {
  return fileAnswer(`tests-of-project-${projectId}.csv`, 'text/csv; charset=utf-8', async function* () {
    yield csvLine(testColumns);
    for await (const records of watched(testBatches(q, projectId), told)) {
      yield records.map((record) => csvLine(cellsOf(record))).join('');
    }
  });
}

/** Tells how far it is, and stops when nobody waits any more. */
async function* watched<T>(
  batches: AsyncIterable<readonly T[]>,
  { total, progress, signal }: Omit<Export, 'projectId'>,
): AsyncGenerator<readonly T[]> {
  let done = 0;
  for await (const some of batches) {
    signal.throwIfAborted();
    yield some;
    done += some.length;
    progress(Math.min(done, total), total);
  }
}
