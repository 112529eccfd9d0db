import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { referencesOf } from '../cases/case-reference-store.ts';
import { operation } from '../base/operation.ts';
import { projectId, queryText, runId } from '../base/parameters.ts';
import { type Project } from '../projects/project-store.ts';
import { askIfGiven, type AskedQuery } from '../query/query-store.ts';
import {
  everyIdOfRunQuery,
  loadRunTestRecords,
  pageOfRunTestQuery,
  pageOfRunTests,
  runTestsByIds,
} from '../runs/run-case-store.ts';
import type { RunTest } from '../runs/run-row.ts';
import {
  runDetailRecord,
  runRecordOf,
  runStateRecord,
  runTestRecord,
  runTestRecordsOf,
} from '../runs/run-record.ts';
import { loadRunState } from '../runs/run-state-store.ts';
import { runAndProject } from '../runs/run-store.ts';
import type { Run } from '../runs/run-row.ts';
import { messageOf, pageOfUnmatched } from '../runs/unmatched-result-store.ts';
import { reportHtml } from './report-html.ts';
import { shownTests, type OpenTest, type RunReport } from './run-report.ts';

/** Tests of a run that one statement reads: about 4 ms. */
const batch = 200;

export const downloadReport = operation({
  name: 'download-report',
  title: 'Download the report of a run',
  description:
    'Returns the results of a run as JSON with every test, or for people as one HTML page or a PDF with a chart, tables, and the ' +
    'tests that failed, are blocked or to be run again.',
  input: closedObject({
    runId,
    projectId,
    format: Type.Optional(
      words(['json', 'pdf', 'html'], { default: 'json', description: 'The format of the report.' }),
    ),
    query: Type.Optional(queryText('Only these tests, as in get-run-tests-list.')),
  }),
  output: closedObject({
    ...runDetailRecord.properties,
    percentages: runStateRecord.properties.percentages,
    bySquad: runStateRecord.properties.bySquad,
    bySection: runStateRecord.properties.bySection,
    query: Type.Optional(Type.String({ description: 'The counts are those of the tests that it chooses.' })),
    tests: Type.Array(runTestRecord),
  }),
  files: ['text/html', 'application/pdf'],
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, progress, signal }) => {
    const { query } = input;
    const now = clock.now();
    const asked = askIfGiven(query, actor, { scope: 'run-tests', projectId: input.projectId, now });
    const { run, project } = await runAndProject(q, actor, input, 'read');
    await asked?.requireNames(q);
    const testIds = asked && (await everyIdOfRunQuery(q, run.id, asked, signal));
    const name = `report-of-run-${run.id}`;
    const state = await loadRunState(q, run, signal, testIds);
    if (input.format === 'html' || input.format === 'pdf') {
      const open = await openTests(q, run, asked, signal);
      const report = reportOf({ project, run, state, open, query: query ?? null, now });
      if (input.format === 'html') {
        const type = 'text/html; charset=utf-8';
        return fileAnswer(`${name}.html`, type, () => yielding(reportHtml(report), signal));
      }
      const { reportPdf, reportTypefaces } = await import('./report-pdf.ts');
      const typefaces = await reportTypefaces();
      return fileAnswer(`${name}.pdf`, 'application/pdf', () =>
        yielding(reportPdf(report, typefaces), signal),
      );
    }
    const { percentages, bySquad, bySection, unmatched } = state;
    const counts = testIds ? { counts: state.counts, query } : { unmatched };
    const head = JSON.stringify({ ...runRecordOf(run), percentages, bySquad, bySection, ...counts });
    return fileAnswer(`${name}.json`, 'application/json', async function* () {
      yield `${head.slice(0, -1)},"tests":[`;
      const total = testIds?.length ?? runRecordOf(run).counts.total;
      const references = await referencesOf(q, run.projectId);
      let done = 0;
      for await (const rows of batches(q, run, testIds, signal)) {
        const records = runTestRecordsOf(rows, references);
        yield `${done > 0 ? ',' : ''}${records.map((record) => JSON.stringify(record)).join(',')}`;
        done += rows.length;
        progress(Math.min(done, total), total);
      }
      yield ']}';
    });
  },
});

/** The tests of a run, or the given ones in their order. No batch is empty. Yields to other requests between batches. */
async function* batches(
  q: Query,
  run: Run,
  testIds: readonly number[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly RunTest[]> {
  if (testIds) {
    for await (const ids of partsInTurns(testIds, batch, signal)) {
      const rows = await runTestsByIds(q, run.id, ids);
      // Tests may have been removed from the run meanwhile.
      if (rows.length > 0) yield rows;
    }
    return;
  }
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const rows = await pageOfRunTests(q, run.id, undefined, { limit: batch, after });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The pieces of a file. Yields to other requests between pieces. */
async function* yielding<T>(pieces: Iterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The most failing cases without a test in a report; {@link RunReport.unmatched} counts them all. */
const shownUnmatched = 100;

/** The first tests of a run, or of a query in it, that failed, are blocked or need a retest. */
async function openTests(
  q: Query,
  run: Run,
  asked: AskedQuery | undefined,
  signal: AbortSignal,
): Promise<readonly OpenTest[]> {
  const open: OpenTest[] = [];
  if (!asked) {
    const { rows } = await pageOfUnmatched(q, run.id, { limit: shownUnmatched, offset: 0 });
    for (const { key, attempts, status } of rows)
      if (status === 'failed')
        open.push({
          testId: null,
          testName: key,
          section: 'of no test',
          status,
          comment: messageOf({ attempts }) ?? null,
        });
  }
  for (const status of ['failed', 'blocked', 'retest'] as const) {
    const limit = shownTests - open.length;
    const rows = asked
      ? (await pageOfRunTestQuery(q, run.id, asked, { status, limit, offset: 0, signal })).rows
      : await pageOfRunTests(q, run.id, status, { limit });
    for (const { testId, testName, sectionPath, comment } of await loadRunTestRecords(q, run.projectId, rows))
      open.push({ testId, testName, section: sectionPath.join(' > '), status, comment });
    if (open.length >= shownTests) break;
  }
  return open;
}

/** The data of the HTML and PDF reports. */
function reportOf({
  project,
  run,
  state,
  open,
  query,
  now,
}: {
  readonly project: Project;
  readonly run: Run;
  readonly state: Awaited<ReturnType<typeof loadRunState>>;
  readonly open: readonly OpenTest[];
  readonly query: string | null;
  readonly now: number;
}): RunReport {
  return {
    ...runRecordOf(run),
    projectName: project.name,
    madeAt: isoTime(now),
    query,
    counts: state.counts,
    bySection: state.bySection.map(({ sectionPath, counts }) => ({
      name: sectionPath.length > 0 ? sectionPath.join(' > ') : 'no section',
      counts,
    })),
    bySquad: state.bySquad.map(({ squad, counts }) => ({ name: squad ?? 'no squad', counts })),
    open,
    openTotal:
      state.counts.failed + state.counts.blocked + state.counts.retest + (state.unmatched?.failed ?? 0),
    unmatched: state.unmatched,
  };
}
