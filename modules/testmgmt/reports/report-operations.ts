import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Query } from '../../../core/db/db.ts';
import { closedObject, words } from '../../../core/schema.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { referencesOf } from '../cases/case-reference-store.ts';
import { operation } from '../operation.ts';
import { projectId, runId } from '../parameters.ts';
import { type Project } from '../projects/project-store.ts';
import { loadRunTestRecords, pageOfRunTests } from '../runs/run-case-store.ts';
import {
  runRecord,
  runRecordOf,
  runStateRecord,
  runTestRecord,
  runTestRecordsOf,
} from '../runs/run-record.ts';
import { loadRunState } from '../runs/run-state-store.ts';
import { runAndProject, type Run } from '../runs/run-store.ts';
import { reportHtml } from './report-html.ts';
import { shownTests, type OpenTest, type RunReport } from './run-report.ts';

/** Tests of a run that one statement reads: about 4 ms. */
const batch = 200;

export const downloadReport = operation({
  name: 'download-report',
  title: 'Download the report of a run',
  description:
    'Returns the results of a run as JSON with every test, or for people as one HTML page or a PDF with a chart, tables by ' +
    'section and squad, and the tests that failed, are blocked or to be run again.',
  input: closedObject({
    runId,
    projectId,
    format: Type.Optional(
      words(['json', 'pdf', 'html'], { default: 'json', description: 'The format of the report.' }),
    ),
  }),
  output: closedObject({
    ...runRecord.properties,
    percentages: runStateRecord.properties.percentages,
    bySquad: runStateRecord.properties.bySquad,
    bySection: runStateRecord.properties.bySection,
    tests: Type.Array(runTestRecord),
  }),
  files: ['text/html', 'application/pdf'],
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, progress, signal }) => {
    const { run, project } = await runAndProject(q, actor, input, 'read');
    const name = `report-of-run-${run.id}`;
    if (input.format === 'html' || input.format === 'pdf') {
      const report = await reportOf(q, project, run, { now: clock.now(), signal });
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
    const { percentages, bySquad, bySection } = await loadRunState(q, run, signal);
    const head = JSON.stringify({ ...runRecordOf(run), percentages, bySquad, bySection });
    return fileAnswer(`${name}.json`, 'application/json', async function* () {
      yield `${head.slice(0, -1)},"tests":[`;
      const { total } = runRecordOf(run).counts;
      const references = await referencesOf(q, run.projectId);
      let done = 0;
      for (let after = 0; ;) {
        signal.throwIfAborted();
        const rows = await pageOfRunTests(q, run.id, undefined, { limit: batch, after });
        const records = runTestRecordsOf(rows, references);
        yield `${done > 0 && rows.length > 0 ? ',' : ''}${records.map((record) => JSON.stringify(record)).join(',')}`;
        done += rows.length;
        progress(Math.min(done, total), total);
        const last = rows.at(-1);
        if (!last || rows.length < batch) break;
        after = last.testId;
        if (turnIsOver()) await nextTurn(signal);
      }
      yield ']}';
    });
  },
});

/** The pieces of a file. Yields to other requests between them. */
async function* yielding<T>(pieces: Iterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for (const piece of pieces) {
    yield piece;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The data of the HTML and PDF reports. */
async function reportOf(
  q: Query,
  project: Project,
  run: Run,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<RunReport> {
  const state = await loadRunState(q, run, signal);
  const open: OpenTest[] = [];
  for (const status of ['failed', 'blocked', 'retest'] as const) {
    const rows = await pageOfRunTests(q, run.id, status, { limit: shownTests - open.length });
    for (const { testId, testName, sectionPath, comment } of await loadRunTestRecords(q, run.projectId, rows))
      open.push({ testId, testName, section: sectionPath.join(' > '), status, comment });
    if (open.length >= shownTests) break;
  }
  return {
    ...runRecordOf(run),
    projectName: project.name,
    madeAt: isoTime(now),
    counts: state.counts,
    bySection: state.bySection.map(({ sectionPath, counts }) => ({
      name: sectionPath.length > 0 ? sectionPath.join(' > ') : 'no section',
      counts,
    })),
    bySquad: state.bySquad.map(({ squad, counts }) => ({ name: squad ?? 'no squad', counts })),
    open,
    openTotal: state.counts.failed + state.counts.blocked + state.counts.retest,
  };
}
