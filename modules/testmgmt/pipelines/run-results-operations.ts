import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { listFields } from '../../../core/tools/list-fields.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { testEverIn } from '../cases/case-store.ts';
import { resultsOperation } from '../base/operation.ts';
import { projectId, runId, testId } from '../base/parameters.ts';
import { runCtrf } from '../reports/run-ctrf.ts';
import { runJunit } from '../reports/run-junit.ts';
import type { RunResult } from '../reports/run-result.ts';
import { pageOfRunTests } from '../runs/run-case-store.ts';
import { runFor } from '../runs/run-store.ts';
import type { Run } from '../runs/run-row.ts';
import {
  keptOfAKind,
  messageOf,
  pageOfUnmatched,
  type UnmatchedResult,
} from '../runs/unmatched-result-store.ts';
import { noticeField, pipelineNotice } from './rows/upload-report.ts';
import { sectionsOf } from '../sections/section-store.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { keyParts, keyText, separator } from './matching/automation-key.ts';
import { keysOfTests, namesOfTests } from './matching/automation-key-store.ts';
import { pageOfReported, reportedOf, sourceOf, type StoredResult } from './rows/run-results-store.ts';

const reportedStatus = words(['passed', 'failed', 'skipped'], { description: 'An error counts as failed.' });

const resultRecord = closedObject({
  testId: Type.Integer(),
  testName: Type.String(),
  key: nullable(Type.String()),
  status: reportedStatus,
  flaky: Type.Boolean({ description: 'Passed after it failed.' }),
  message: Type.Optional(
    Type.String({ description: 'Why it failed: the first 1,000 characters; `attempts` has all.' }),
  ),
  durationMs: nullable(Type.Number()),
  file: nullable(Type.String()),
  line: nullable(Type.Integer()),
  attempts: Type.Array(
    closedObject({
      status: reportedStatus,
      at: Type.String({ description: 'When it began, or was received.' }),
      job: Type.Optional(Type.String()),
      durationMs: Type.Optional(Type.Number()),
      message: Type.Optional(Type.String()),
    }),
    { description: 'Oldest first, at most the last 20.' },
  ),
  tags: Type.Array(Type.String()),
  properties: Type.Record(Type.String(), Type.String()),
  attachments: Type.Array(Type.String(), { description: 'Their names.' }),
  output: nullable(Type.String({ description: 'The end of what it wrote.' })),
});

const unmatchedRecord = closedObject({
  key: Type.String({ description: 'What the tool calls it.' }),
  status: reportedStatus,
  flaky: Type.Boolean(),
  message: Type.Optional(Type.String({ description: 'Why it failed.' })),
  file: nullable(Type.String()),
  line: nullable(Type.Integer()),
  renameOf: Type.Optional(
    Type.Integer({ description: 'The test that it seems to be; accept-rename answers.' }),
  ),
});

const sourceRecord = closedObject({
  runKey: nullable(Type.String()),
  provider: nullable(Type.String()),
  repository: nullable(Type.String()),
  workflow: nullable(Type.String()),
  branch: nullable(Type.String()),
  baseBranch: nullable(Type.String()),
  commit: nullable(Type.String()),
  buildNumber: nullable(Type.String()),
  jobUrl: nullable(Type.String()),
  author: nullable(Type.String()),
  pullRequest: nullable(Type.String()),
});

const resultFields = listFields(
  resultRecord,
  [],
  ['testId', 'testName', 'status', 'flaky', 'message', 'durationMs'],
);
const resultPage = page('results', resultFields.record);

export const getRunResults = resultsOperation({
  name: 'get-run-results',
  title: 'Read what a pipeline reported',
  description:
    'Lists what test tools reported for the tests of a run: durations, attempts, messages, files and output, and the build that the ' +
    'results are from (null for a run of people). get-run-tests-list has the status of every test.',
  input: closedObject({
    runId,
    projectId,
    testId: Type.Optional(testId),
    ...resultFields.parameter,
    ...paging,
  }),
  output: closedObject({
    source: nullable(sourceRecord),
    notice: noticeField,
    ...resultPage.properties,
    unmatchedTotal: Type.Integer({ description: 'Cases of no test that are kept.' }),
    unmatched: Type.Array(unmatchedRecord, { description: 'The same page of them, failed ones first.' }),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const run = await runFor(q, actor, input, 'read');
    if (input.testId !== undefined) await testEverIn(q, actor, run.projectId, input.testId);
    const { limit, offset } = pageOf(input);
    const { total, rows } = await pageOfReported(
      q,
      { runId: run.id, testId: input.testId },
      { limit, offset },
    );
    const ids = rows.map((row) => row.testId);
    const keys = await keysOfTests(q, ids, signal);
    const names = await namesOfTests(q, ids);
    const source = await sourceOf(q, run.id);
    const results = rows.map((row) => {
      const key = keys.get(row.testId)?.key;
      return resultRecordOf(row, names.get(row.testId) ?? '', key ? keyText(key) : null);
    });
    const none = { total: 0, rows: [] };
    const unmatched = input.testId === undefined ? await pageOfUnmatched(q, run.id, { limit, offset }) : none;
    const next = offset + limit;
    return {
      source: source ? sourceRecordOf(source) : null,
      notice: pipelineNotice,
      total,
      limit,
      offset,
      // The longer of the two lists decides: a client reads on while it is there.
      ...(next < unmatched.total && { nextOffset: next }),
      results,
      unmatchedTotal: unmatched.total,
      unmatched: unmatched.rows.map(unmatchedRecordOf),
    };
  },
});

/** Most characters of a message shown with its result. */
const messageShown = 1_000;

function resultRecordOf(
  row: StoredResult,
  testName: string,
  key: string | null,
): Static<typeof resultRecord> {
  const { tags = [], properties = {}, attachments = [], output = null } = row.details ?? {};
  const message = row.status === 'failed' ? messageOf(row) : undefined;
  return {
    testId: row.testId,
    testName,
    key,
    status: row.status,
    flaky: row.flaky,
    ...(message === undefined ? {} : { message: message.slice(0, messageShown).toWellFormed() }),
    durationMs: row.durationUs === null ? null : row.durationUs / 1_000,
    file: row.file,
    line: row.line,
    attempts: row.attempts.map(({ status, at, job, durationMs, message }) => ({
      status,
      at: isoTime(at),
      ...(job === '' ? {} : { job }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(message === undefined ? {} : { message }),
    })),
    tags: [...tags],
    properties: { ...properties },
    attachments: [...attachments],
    output,
  };
}

function unmatchedRecordOf(row: UnmatchedResult): Static<typeof unmatchedRecord> {
  const { key, status, flaky, file, line, renameOf, declined } = row;
  const message = status === 'failed' ? messageOf(row) : undefined;
  return {
    key,
    status,
    flaky,
    ...(message === undefined ? {} : { message: message.slice(0, messageShown).toWellFormed() }),
    file,
    line,
    ...(renameOf === null || declined ? {} : { renameOf }),
  };
}

function sourceRecordOf(
  source: NonNullable<Awaited<ReturnType<typeof sourceOf>>>,
): Static<typeof sourceRecord> {
  const { runId: _run, projectId: _project, createdAt: _at, ...said } = source;
  return said;
}

export const downloadResults = resultsOperation({
  name: 'download-results',
  title: 'Download the results of a run for other tools',
  description:
    'Returns the results of a run as JUnit XML or CTRF, which CI systems and report viewers read. Blocked, retest and untested are ' +
    'skipped there. Uploaded again, each result finds its test.',
  input: closedObject({
    runId,
    projectId,
    format: Type.Optional(
      words(['junit', 'ctrf'], { default: 'junit', description: 'The format of the file.' }),
    ),
  }),
  output: Type.Object({}, { description: 'The file: CTRF is JSON.' }),
  files: ['text/xml'],
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const run = await runFor(q, actor, input, 'read');
    const results = await everyResult(q, run, signal);
    const given = { name: run.name, createdAt: run.createdAt };
    return input.format === 'ctrf'
      ? fileAnswer(`results-of-run-${run.id}.json`, 'application/json', () => runCtrf(given, results, signal))
      : fileAnswer(`results-of-run-${run.id}.xml`, 'text/xml; charset=utf-8', () =>
          runJunit(given, results, signal),
        );
  },
});

/** Tests that one statement reads. */
const batch = 500;

/** The results of a run in the form for other tools: a pipeline test under its key, any other test in its section. */
async function everyResult(q: Query, run: Run, signal: AbortSignal): Promise<readonly RunResult[]> {
  const sections = new Map((await sectionsOf(q, run.projectId)).map((section) => [section.id, section]));
  const results: RunResult[] = [];
  for (let after = 0; ;) {
    const rows = await pageOfRunTests(q, run.id, undefined, { limit: batch, after });
    const ids = rows.map((row) => row.testId);
    const keys = await keysOfTests(q, ids, signal);
    const reported = await reportedOf(q, run.id, ids);
    for (const row of rows) {
      const key = keys.get(row.testId)?.key;
      const said = reported.get(row.testId);
      const attempt = said?.flaky ? messageOf(said) : said?.attempts.at(-1)?.message;
      const message = row.comment ?? attempt;
      results.push({
        testId: row.testId,
        suites: key
          ? key.suite === ''
            ? []
            : key.suite.split(separator)
          : row.sectionId === null
            ? []
            : sectionPath(sections, row.sectionId),
        name: key ? key.name + key.suffix : row.testName,
        status: row.status,
        ...(said?.durationUs == null ? {} : { durationMs: said.durationUs / 1_000 }),
        ...(message === undefined || message === null || message === '' ? {} : { message }),
        ...(said?.file == null ? {} : { file: said.file }),
        ...(said?.line == null ? {} : { line: said.line }),
        ...(said?.flaky ? { flaky: true } : {}),
      });
    }
    const last = rows.at(-1);
    if (!last || rows.length < batch) return [...results, ...(await unmatchedOf(q, run.id))];
    after = last.testId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The cases without a test: a failure among them is a failure of the run. */
async function unmatchedOf(q: Query, runId: number): Promise<readonly RunResult[]> {
  const { rows } = await pageOfUnmatched(q, runId, { limit: 3 * keptOfAKind, offset: 0 });
  return rows.map((row) => {
    const key = keyParts(row.key, row);
    const { durationMs } = row.attempts.at(-1) ?? {};
    const message = row.status === 'failed' || row.flaky ? messageOf(row) : undefined;
    return {
      testId: undefined,
      suites: key.suite === '' ? [] : key.suite.split(separator),
      name: key.name + key.suffix,
      status: row.status === 'skipped' ? 'untested' : row.status,
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(message === undefined ? {} : { message }),
      ...(row.file === null ? {} : { file: row.file }),
      ...(row.line === null ? {} : { line: row.line }),
      ...(row.flaky ? { flaky: true } : {}),
    };
  });
}
