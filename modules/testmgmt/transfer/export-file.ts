import { referencesOf } from '../cases/case-reference-store.ts';
import { labelsOf } from '../cases/case-record-store.ts';
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import { prepared, type Query } from '../../../core/db/db.ts';
import { fileAnswer, type FileAnswer } from '../../../core/tools/file-answer.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { stepsLength } from '../cases/case-steps.ts';
import { csvLine } from './csv.ts';
import { tests } from '../schema.ts';
import { testRecordOf } from '../cases/case-record.ts';
import { cellsOf, testColumns, type TestRecord } from './case-cells.ts';
import type { Test } from '../cases/case-store.ts';

/** How many tests are read at once at most, and how much text they may have together before fewer are: some 3 ms. */
const mostAtOnce = 100;
const textAtOnce = 256 * 1024;

const testsAfter = prepared<{ projectId: number; after: number; limit: number }, Test>(
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
      .limit(sql.placeholder('limit')),
  'testmgmt_tests_after',
);

/**
 * The whole records of a project's tests that are not deleted, oldest first, in batches, with requests let in between. Read one
 * batch after the other and not in one transaction: each test is as it is at one moment, two tests may be of two moments.
 */
export async function* testBatches(
  q: Query,
  projectId: number,
  signal: AbortSignal,
): AsyncGenerator<readonly TestRecord[]> {
  const references = await referencesOf(q, projectId);
  let limit = 10;
  for (let after = 0; ;) {
    const rows = await testsAfter(q, { projectId, after, limit });
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const labels = await labelsOf(
      q,
      rows.map(({ id }) => id),
    );
    yield rows.map((test) => testRecordOf(test, labels.get(test.id) ?? [], references));
    // The tests that follow are most likely of the same kind.
    const text = rows.reduce((sum, test) => sum + textOf(test), 0);
    limit = Math.max(1, Math.min(mostAtOnce, Math.floor((textAtOnce * rows.length) / Math.max(1, text))));
    if (turnIsOver()) await nextTurn(signal);
  }
}

const textOf = ({ description, preconditions, steps }: Test): number =>
  description.length + preconditions.length + stepsLength(steps);

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
    for await (const records of watched(testBatches(q, projectId, told.signal), told)) {
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
    for await (const records of watched(testBatches(q, projectId, told.signal), told)) {
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
