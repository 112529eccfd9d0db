import type { Query } from '../../../core/db/db.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import type { ReportedCase } from '../result-files/reported-case.ts';
import { keyText } from './automation-key.ts';
import { keysOfTests, namesOfTests } from './automation-key-store.ts';
import { foundBy } from './case-match.ts';
import { namedInReport, type ReportedTest, type UploadReport } from './upload-report.ts';
import type { Upload, Uploaded, UploadedTest } from './upload.ts';

/** A message in a report: the whole one stands with the result. */
const messageLength = 1_000;

/** Counts a list and keeps its first. */
class Named {
  readonly tests: ReportedTest[] = [];
  count = 0;

  note(test: () => ReportedTest): void {
    this.count++;
    if (this.tests.length < namedInReport) this.tests.push(test());
  }
}

function totalsOf(cases: readonly ReportedCase[]) {
  const totals = { cases: cases.length, passed: 0, failed: 0, skipped: 0 };
  for (const { status } of cases) totals[status]++;
  return totals;
}

/** What an upload answers. Yields to other requests. */
export async function uploadReportOf(
  q: Query,
  upload: Upload,
  uploaded: Uploaded,
  signal: AbortSignal,
): Promise<UploadReport> {
  const { matched, results, renames, before, statusesBefore, inRun } = uploaded;
  const [failing, newlyFailing, fixed, flaky, unmatched] = Array.from({ length: 5 }, () => new Named()) as [
    Named,
    Named,
    Named,
    Named,
    Named,
  ];
  for (const one of results) {
    const { status, flaky: isFlaky } = one.result;
    const test = () => reportedTest(uploaded, one);
    const statusBefore = one.testId === null ? undefined : statusesBefore.get(one.testId);
    if (isFlaky) flaky.note(test);
    if (status === 'failed') failing.note(test);
    if (status === 'failed' && statusBefore !== 'failed') newlyFailing.note(test);
    if (status === 'passed' && statusBefore === 'failed') fixed.note(test);
    if (turnIsOver()) await nextTurn(signal);
  }
  // A dry run leaves what it would create without a test.
  const handled = new Set(results.flatMap(({ testId, at }) => (testId === null ? [at] : [])));
  let known = 0;
  for (const [at, testId] of matched.testIds.entries()) {
    if (testId === 0 && !handled.has(at)) {
      const reported = matched.cases[at];
      if (reported)
        unmatched.note(() => ({ testId: null, ...placed(reported), name: keyText(matched.keyAt(at)) }));
    } else if (matched.foundBy[at] !== foundBy.nothing) known++;
    if (turnIsOver()) await nextTurn(signal);
  }
  const missing = [...statusesBefore.keys()].filter((testId) => !inRun.has(testId));
  const files = upload.files.map(({ name, read }) => ({
    file: name,
    format: read.format,
    ...totalsOf(read.cases),
  }));
  const totals = { ...totalsOf(matched.cases), flaky: flaky.count };
  return {
    runId: uploaded.runId,
    runKey: upload.runKey,
    dryRun: upload.dryRun,
    totals,
    files,
    matched: known,
    created: uploaded.created,
    unmatched: unmatched.count,
    unmatchedTests: unmatched.tests,
    renamed: renames.slice(0, namedInReport).map(({ testId, at, from, to, file, similarity, accepted }) => {
      const found = matched.testIds[at] ?? 0;
      return {
        from: keyText(from),
        to: keyText(to),
        testId,
        createdTestId: found === 0 || found === testId ? null : found,
        ...(file === undefined ? {} : { file }),
        similarity,
        accepted,
      };
    }),
    missing: missing.length,
    missingTests: await testsByName(q, missing.slice(0, namedInReport), signal),
    flakyTests: flaky.tests,
    comparedWith: before ? { runId: before.id, runName: before.name } : null,
    failing: failing.tests,
    newlyFailing: newlyFailing.tests,
    newlyFailingCount: newlyFailing.count,
    fixed: fixed.tests,
    fixedCount: fixed.count,
    duplicates: [...matched.duplicates(namedInReport)],
    warnings: [
      ...uploaded.warnings,
      ...upload.files.flatMap(({ name, read }) => read.warnings.map((warning) => `${name}: ${warning}`)),
    ].slice(0, namedInReport),
  };
}

const placed = ({ file, line }: ReportedCase) => ({
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
});

function reportedTest({ matched }: Uploaded, { testId, at, result }: UploadedTest): ReportedTest {
  const { message, durationMs } = result.deciding;
  const reported = matched.cases[at];
  return {
    testId,
    name: keyText(matched.keyAt(at)),
    ...(message === undefined ? {} : { message: message.slice(0, messageLength).toWellFormed() }),
    ...(reported ? placed(reported) : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** Tests by their keys; one without a key by its name. */
async function testsByName(
  q: Query,
  testIds: readonly number[],
  signal: AbortSignal,
): Promise<ReportedTest[]> {
  const keys = await keysOfTests(q, testIds, signal);
  const names = await namesOfTests(q, testIds);
  return testIds.map((testId) => {
    const known = keys.get(testId);
    return {
      testId,
      name: known ? keyText(known.key) : (names.get(testId) ?? ''),
      ...(known?.file == null ? {} : { file: known.file }),
    };
  });
}
