import type { Query } from '../../../core/db/query/db.ts';
import { fileAnswer, type FileAnswer, type ListPart } from '../../../core/tools/file-answer.ts';
import { nextOffsetAfter } from '../../../core/tools/page.ts';
import { testBatches } from '../cases/case-batch-store.ts';
import { ownFieldsOf } from '../fields/field-store.ts';
import { cellsOf, fieldColumns, testColumns } from './case-cells.ts';
import { csvLine } from '../import-files/text/csv.ts';

interface Export {
  readonly projectId: number;
  /** Exports only these tests, in this order. */
  readonly ids: readonly number[] | undefined;
  /** As they were at this time, in epoch milliseconds; null: as they are. */
  readonly asOf?: number | null | undefined;
  /** For a part of the tests: the total, and the offset of the part. */
  readonly page?: { readonly total: number; readonly offset: number } | undefined;
  /** The expected number of tests, for progress. */
  readonly total: number;
  readonly progress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Which of all tests an export has; undefined for all of them. */
function partOf({ ids, page }: Pick<Export, 'ids' | 'page'>): ListPart | undefined {
  if (!page) return undefined;
  const nextOffset = nextOffsetAfter(page, ids?.length ?? 0);
  return { total: page.total, ...(nextOffset === undefined ? {} : { nextOffset }) };
}

/** The tests of a project as one JSON document, `{"projectId", "tests": […]}`, each with every field. */
export function testsAsJson(q: Query, { projectId, ids, asOf, page, ...rest }: Export): FileAnswer {
  const { total, nextOffset } = partOf({ ids, page }) ?? {};
  const more = nextOffset === undefined ? '' : `"nextOffset":${nextOffset},`;
  const counted = total === undefined ? '' : `"total":${total},${more}`;
  return fileAnswer(`tests-of-project-${projectId}.json`, 'application/json', async function* () {
    yield `{"projectId":${projectId},${counted}"tests":[`;
    let separator = '';
    for await (const records of withProgress(testBatches(q, { projectId, ids, asOf }, rest.signal), rest)) {
      yield `${separator}${records.map((record) => JSON.stringify(record)).join(',')}`;
      separator = ',';
    }
    yield ']}';
  });
}

/** The tests of a project as CSV (RFC 4180), a header and a row for each test; import-tests reads it back. */
export function testsAsCsv(q: Query, { projectId, ids, asOf, page, ...rest }: Export): FileAnswer {
  const content = async function* () {
    const fieldKeys = [...(await ownFieldsOf(q, projectId, 'test')).keys()];
    yield csvLine([...testColumns, ...fieldColumns(fieldKeys)]);
    for await (const records of withProgress(testBatches(q, { projectId, ids, asOf }, rest.signal), rest)) {
      yield records.map((record) => csvLine(cellsOf(record, fieldKeys))).join('');
    }
  };
  const name = `tests-of-project-${projectId}.csv`;
  return fileAnswer(name, 'text/csv; charset=utf-8', content, partOf({ ids, page }));
}

/** Reports progress after each batch. @throws the reason of `signal` when it has aborted. */
async function* withProgress<T>(
  batches: AsyncIterable<readonly T[]>,
  { total, progress, signal }: Omit<Export, 'projectId' | 'ids' | 'asOf'>,
): AsyncGenerator<readonly T[]> {
  let done = 0;
  for await (const some of batches) {
    signal.throwIfAborted();
    yield some;
    done += some.length;
    progress(Math.min(done, total), total);
  }
}
