import { fileAnswer, isFile } from '../../../core/tools/file-answer.ts';
import { descriptionsOf } from '../../testmgmt/index.ts';
import { answered, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { idReader, list, oneOf, optionalReader, textReader } from '../wire/request-field.ts';
import { mostRows, rowsOf, wantedOf, warnOfMore } from '../wire/row-page.ts';
import { fail } from '../base/errors.ts';
import { lineOfCells } from '../tests/csv-cells.ts';
import { filterFields, orderFields, orderOf, pageFields, queryOfRequest } from '../tests/test-reading.ts';
import { readStatus, shownCounts, shownStatus, type StatusWord } from '../words/status-word.ts';
import { runDetails, runRow } from './run-form.ts';
import { runNamed, runTestRows, runTestsOf, type NamedRun } from './run-reading.ts';

const testsPerPage = 100;
const runStates = ['Active', 'Locked', 'Archived', 'Deleted'] as const;
const runOf = { runId: idReader, projectId: optionalReader(idReader) };

/** The statuses of a filter; what has no equivalent here matches nothing. @throws Fault INVALID_REQUEST for any other word. */
function statusesOf(words: readonly string[] | undefined): readonly StatusWord[] | 'none' | undefined {
  if (words === undefined) return undefined;
  const known = words.flatMap((word) => {
    const read = readStatus(word);
    if ('unknown' in read && word.trim().toLowerCase() !== 'archived')
      throw fail.INVALID_REQUEST(`statusArray: ${read.unknown}`, { cause: 'statusArray' });
    return 'status' in read && read.word === undefined ? [read.status] : [];
  });
  return known.length === 0 && words.length > 0 ? 'none' : known;
}

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

export const runListRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'runs',
    verb: 'read',
    input: {
      projectId: idReader,
      ...pageFields,
      search: optionalReader(textReader),
      status: optionalReader(oneOf(runStates)),
    },
    answer: async ({ projectId, search, status, ...paging }, work) => {
      const query = [
        search?.trim() ? `name:${quoted(search.trim())}` : undefined,
        status === 'Active' || status === 'Locked' ? `status:${status.toLowerCase()}` : undefined,
      ]
        .filter((part) => part !== undefined)
        .join(' ');
      const wanted = wantedOf(paging, mostRows);
      const read = async (page: typeof wanted) => {
        const { total, runs } = await work.call('get-runs', {
          projectId,
          ...page,
          ...(query !== '' && { query }),
        });
        return { total, rows: runs };
      };
      // Deleted and archived runs are gone here: the call only checks the right to read.
      const isGone = status === 'Archived' || status === 'Deleted';
      const found = isGone
        ? { ...(await read({ limit: 1, offset: 0 })), rows: [], total: 0 }
        : await rowsOf(read, wanted);
      warnOfMore(work, found, wanted);
      const nameOf = await work.namesOf(
        found.rows.flatMap(({ createdBy, lockedBy }) => [createdBy, lockedBy]),
      );
      const runIds = found.rows.flatMap(({ runId }) => runId ?? []);
      const descriptions = await descriptionsOf(work.host.db.q, 'run', runIds);
      const runsData = found.rows.map((run) =>
        runRow(run, { projectId, nameOf }, descriptions.get(run.runId ?? 0) || null),
      );
      return answered({ runsData: { runsData, runsCount: [{ count: found.total }] }, projectId });
    },
  }),
  route({
    path: 'run/detail',
    verb: 'read',
    input: runOf,
    answer: async (input, work) => {
      const named = await runNamed(work, input);
      return answered(runDetails(await work.call('run-detail', named), named.projectId));
    },
  }),
  route({
    path: 'run/tests',
    verb: 'read',
    input: {
      projectId: idReader,
      runId: idReader,
      ...pageFields,
      ...filterFields,
      statusArray: optionalReader(list(textReader, 20)),
      ...orderFields,
    },
    answer: async ({ projectId, runId, page, pageSize, statusArray, ...filters }, work) => {
      const named = { projectId, runId };
      const run = await work.call('run-detail', named);
      const statuses = statusesOf(statusArray);
      if (statuses === 'none') return answered({ testsList: [], totalCount: 0 });
      const query = queryOfRequest({ ...filters, statuses }, orderOf(work, filters));
      const wanted = wantedOf({ page, pageSize }, testsPerPage);
      const found = await rowsOf(runTestsOf(work, named, query), wanted);
      warnOfMore(work, found, wanted);
      const rows = await runTestRows(work, named, run, found.rows);
      return answered({ testsList: rows.map(({ shown }) => shown), totalCount: found.total });
    },
  }),
  route({
    path: 'run/state-detail',
    verb: 'read',
    input: { ...runOf, groupBy: optionalReader(oneOf(['squads'])) },
    answer: async ({ groupBy, ...input }, work) => {
      const { counts, bySquad } = await work.call('get-run-state-detail', await runNamed(work, input));
      const squadData = bySquad.map(({ squad, squadId, counts: ofSquad }) => ({
        squadName: squad ?? 'None',
        squadId: squadId ?? 0,
        runData: shownCounts(ofSquad),
      }));
      return answered({ ...shownCounts(counts), ...(groupBy && { squadData }) });
    },
  }),
  route({
    path: 'run/test-status',
    verb: 'read',
    input: { ...runOf, testId: idReader },
    answer: async ({ testId, ...input }, work) => {
      const named = await runNamed(work, input);
      const run = await work.call('run-detail', named);
      const { rows } = await runTestsOf(work, named, `id:${testId}`)({ limit: 1, offset: 0 });
      if (rows.length === 0)
        throw fail.INVALID_REQUEST(`Test ${testId} is not in run ${named.runId}.`, {
          tip: 'Use get-run-tests-list to see the tests of the run.',
        });
      const runStatus = run.status === 'locked' ? 'Locked' : 'Active';
      return answered(rows.map(({ status = 'untested' }) => ({ status: shownStatus(status), runStatus })));
    },
  }),
  route({
    path: 'run/test-status-history',
    verb: 'read',
    input: { runId: idReader, testId: idReader, projectId: optionalReader(idReader) },
    answer: async ({ runId, testId }, work) => {
      const wanted = { limit: mostRows, offset: 0 };
      const found = await rowsOf(async (page) => {
        const { total, history } = await work.call('get-test-status-history-in-run', {
          runId,
          testId,
          ...page,
        });
        return { total, rows: history };
      }, wanted);
      warnOfMore(work, found, wanted);
      return answered(
        found.rows.map(({ status, byName, at, comment }) => ({
          status: shownStatus(status),
          updatedBy: byName,
          updatedOn: at,
          comment,
        })),
      );
    },
  }),
  route({
    path: 'run/report-download',
    verb: 'read',
    input: runOf,
    answer: async (input, work) => {
      const named = await runNamed(work, input);
      await work.call('run-detail', named);
      return reportCsv(work, named);
    },
  }),
  route({
    path: 'run/report',
    verb: 'read',
    input: { ...runOf, format: optionalReader(oneOf(['json', 'pdf', 'html'])) },
    answer: async ({ format = 'json', ...input }, work) => {
      const named = await runNamed(work, input);
      if (format !== 'json' && !work.isAgent) {
        const file = await work.callForFile('download-report', { ...named, format });
        return isFile(file) ? file : answered(file);
      }
      if (format !== 'json')
        work.warn(
          `The report as JSON: Checkmate-MCP-Server reads no ${format}. POST /api/tools/download-report returns the file.`,
        );
      return answered(await reportData(work, named));
    },
  }),
];

const reportColumns = [
  'TestId',
  'Title',
  'Status',
  'Comment',
  'Tested By',
  'Tested On',
  'Priority',
  'Squad',
  'Section',
  'Platform',
];

/** The CSV of the results of a run, by test id. */
const reportCsv = (work: Work, named: NamedRun) =>
  fileAnswer(`report-of-run-${named.runId}.csv`, 'text/csv; charset=utf-8', async function* () {
    yield lineOfCells(reportColumns);
    const read = runTestsOf(work, named, undefined);
    for (let offset = 0; ; offset += 500) {
      const page = await read({ limit: 500, offset });
      for (const { row, shown } of await runTestRows(work, named, {}, page.rows)) {
        const { testId, title, testStatus, testedBy, priority, squadName, sectionName, platform } = shown;
        yield lineOfCells([
          testId,
          title,
          testStatus,
          row.comment,
          testedBy,
          row.updatedAt,
          priority,
          squadName,
          sectionName,
          platform,
        ]);
      }
      if (page.rows.length < 500) return;
    }
  });

/** The report for the MCP server, whose model reads all of it. */
async function reportData(work: Work, named: NamedRun) {
  const [run, state] = [await work.call('run-detail', named), await work.call('get-run-state-detail', named)];
  const wanted = { limit: mostRows, offset: 0 };
  const found = await rowsOf(runTestsOf(work, named, undefined), wanted);
  warnOfMore(work, found, wanted);
  const rows = await runTestRows(work, named, run, found.rows);
  return {
    ...runDetails(run, named.projectId),
    counts: shownCounts(state.counts),
    tests: rows.map(({ row, shown }) => ({
      testId: shown.testId,
      title: shown.title,
      status: shown.testStatus,
      comment: row.comment ?? null,
      testedBy: shown.testedBy,
      testedOn: row.updatedAt ?? null,
      priority: shown.priority,
      squad: shown.squadName,
      section: shown.sectionName,
      platform: shown.platform,
    })),
  };
}
