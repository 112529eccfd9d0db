import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { referencesOf } from '../cases/case-reference-store.ts';
import { operation } from '../base/operation.ts';
import { projectId, queryText, runId } from '../base/parameters.ts';
import { askIfGiven } from '../query/query-store.ts';
import { assigneesOf, everyIdOfRunQuery, pageOfRunTests, runTestsByIds } from '../runs/run-case-store.ts';
import type { RunTest } from '../runs/run-row.ts';
import {
  runDetailRecord,
  runRecordOf,
  runStateRecord,
  runTestRecord,
  runTestRecordsOf,
} from '../runs/run-record.ts';
import { loadStateAndTesters } from '../runs/run-state-store.ts';
import { runAndProject } from '../runs/run-store.ts';
import type { Run } from '../runs/run-row.ts';
import { runSentence } from '../rules/run-sentence.ts';
import { reportHtml } from './report-html.ts';
import { loadReport, testersOfReport } from './report-content-store.ts';

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
    format: Type.Optional(words(['json', 'pdf', 'html'], { default: 'json', description: 'The format.' })),
    query: Type.Optional(queryText('Only these tests, as in get-run-tests-list.')),
  }),
  output: closedObject({
    ...runDetailRecord.properties,
    percentages: runStateRecord.properties.percentages,
    bySquad: runStateRecord.properties.bySquad,
    bySection: runStateRecord.properties.bySection,
    query: Type.Optional(Type.String({ description: 'The counts are those of the tests that it chooses.' })),
    verdict: Type.String({ description: 'The outcome in one sentence.' }),
    testers: Type.Array(
      closedObject({ userId: Type.Integer(), name: Type.String(), tests: Type.Integer() }),
      { description: 'How many tests each person decided.' },
    ),
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
    if (input.format === 'html' || input.format === 'pdf') {
      const report = await loadReport(q, { project, run, asked, query, testIds, now, signal });
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
    const { state, testers: deciders } = await loadStateAndTesters(q, run, signal, testIds);
    const testers = await testersOfReport(q, deciders);
    const verdict = runSentence(state.counts, state.unmatched?.failed);
    const { percentages, bySquad, bySection, unmatched } = state;
    const counts = testIds ? { counts: state.counts, query } : { unmatched };
    const head = JSON.stringify({
      ...runRecordOf(run),
      verdict,
      testers,
      percentages,
      bySquad,
      bySection,
      ...counts,
    });
    return fileAnswer(`${name}.json`, 'application/json', async function* () {
      yield `${head.slice(0, -1)},"tests":[`;
      const total = testIds?.length ?? runRecordOf(run).counts.total;
      const references = await referencesOf(q, run.projectId);
      let done = 0;
      for await (const rows of batches(q, run, testIds, signal)) {
        const records = runTestRecordsOf(rows, references, await assigneesOf(q, run.projectId, rows));
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
