import { projectOfRecord } from '../../testmgmt/index.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { answered, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { flag, idReader, oneOf, optionalReader } from '../wire/request-field.ts';
import { mostRows, newestFirst, rowsOf, wantedOf, warnOfMore } from '../wire/row-page.ts';
import { shownStatus } from '../words/status-word.ts';
import { lineOfCells } from './csv-cells.ts';
import { testColumns, testDetails, testRow } from './test-form.ts';
import {
  filterFields,
  joinedOf,
  orderFields,
  orderOf,
  pageFields,
  queryOfRequest,
  testsOf,
} from './test-reading.ts';

const testsPerPage = 250;

/** The CSV of the tests that a query chooses, a page at a time. */
const csvOfTests = (work: Work, projectId: number, query: string | undefined) =>
  fileAnswer(`tests-of-project-${projectId}.csv`, 'text/csv; charset=utf-8', async function* () {
    yield lineOfCells(testColumns);
    const read = testsOf(work, projectId, query);
    for (let offset = 0; ; offset += 500) {
      const { rows } = await read({ limit: 500, offset });
      const joined = await joinedOf(work, projectId, rows);
      for (const test of rows) {
        const row = testRow(test, joined);
        yield lineOfCells(testColumns.map((column) => row[column]));
      }
      if (rows.length < 500) return;
    }
  });

/** The first tests as JSON, for the MCP server. */
async function jsonOfTests(work: Work, projectId: number) {
  const wanted = { limit: mostRows, offset: 0 };
  const { rows, total } = await rowsOf(testsOf(work, projectId, undefined), wanted);
  warnOfMore(work, { rows, total }, wanted);
  const joined = await joinedOf(work, projectId, rows);
  return { testData: rows.map((test) => testRow(test, joined)), count: { count: total } };
}

/** Fails before the first byte: a file that has begun can only break off. */
const requireReadable = (work: Work, projectId: number) => work.call('get-project-detail', { projectId });

export const testListRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'project/tests',
    verb: 'read',
    input: { projectId: idReader, ...pageFields, ...filterFields, ...orderFields },
    answer: async ({ projectId, page, pageSize, ...filters }, work) => {
      const sort = orderOf(work, filters);
      const read = testsOf(work, projectId, queryOfRequest(filters, sort));
      const wanted = wantedOf({ page, pageSize }, testsPerPage);
      const { rows, total } = await (sort === undefined ? newestFirst(read, wanted) : rowsOf(read, wanted));
      warnOfMore(work, { rows, total }, wanted);
      const joined = await joinedOf(work, projectId, rows);
      return answered({ testData: rows.map((test) => testRow(test, joined)), count: { count: total } });
    },
  }),
  route({
    path: 'project/tests-count',
    verb: 'read',
    input: { projectId: idReader, ...filterFields, includeTestIds: optionalReader(flag) },
    answer: async ({ projectId, includeTestIds, ...filters }, work) => {
      const query = queryOfRequest(filters, undefined);
      const { total } = await work.call('get-tests-count', {
        projectId,
        ...(query !== undefined && { query }),
      });
      if (!includeTestIds) return answered({ count: total });
      const wanted = { limit: mostRows, offset: 0 };
      const found = await rowsOf(testsOf(work, projectId, query), wanted);
      warnOfMore(work, found, wanted);
      return answered({ count: total, testIds: found.rows.map(({ testId }) => ({ testId })) });
    },
  }),
  route({
    path: 'test/details',
    verb: 'read',
    input: { projectId: idReader, testId: idReader },
    answer: async (input, work) => {
      const test = await work.call('get-test-details', input);
      return answered(testDetails(test, await joinedOf(work, input.projectId, [test], [test.updatedBy])));
    },
  }),
  route({
    path: 'test/test-status-history',
    verb: 'read',
    input: { testId: idReader },
    answer: async ({ testId }, work) => {
      const projectId = await projectOfRecord(work.host.db.q, work.actor, 'test', testId);
      const wanted = { limit: mostRows, offset: 0 };
      const found = await rowsOf(async (page) => {
        const { total, history } = await work.call('get-test-status-history', { testId, projectId, ...page });
        return { total, rows: history };
      }, wanted);
      warnOfMore(work, found, wanted);
      const newest = [...Map.groupBy(found.rows, ({ runId }) => runId).values()].flatMap(
        ([first]) => first ?? [],
      );
      return answered(
        newest.map(({ runName, status, byName, at, comment }) => ({
          runName,
          status: shownStatus(status),
          updatedBy: byName,
          updatedOn: at,
          comment,
        })),
      );
    },
  }),
  route({
    path: 'tests/download',
    verb: 'read',
    input: { projectId: idReader, ...filterFields, ...orderFields },
    answer: async ({ projectId, ...filters }, work) => {
      await requireReadable(work, projectId);
      const query = queryOfRequest(filters, orderOf(work, filters));
      return csvOfTests(work, projectId, query);
    },
  }),
  route({
    path: 'test/download',
    verb: 'read',
    input: { projectId: idReader, format: optionalReader(oneOf(['json', 'csv'])) },
    answer: async ({ projectId, format = 'json' }, work) => {
      await requireReadable(work, projectId);
      if (format === 'csv' && !work.isAgent) return csvOfTests(work, projectId, undefined);
      if (format === 'csv')
        work.warn(
          'The tests as JSON: Checkmate-MCP-Server reads no CSV. GET /api/v1/tests/download returns the file.',
        );
      return answered(await jsonOfTests(work, projectId));
    },
  }),
];
