import type { Query } from '../../../../core/db/query/db.ts';
import { keptOfAKind } from '../../runs/unmatched-result-store.ts';
import { keyText } from '../matching/automation-key.ts';
import { keysOfTests, namesOfTests } from '../matching/automation-key-store.ts';
import { noTotals, sumOf } from '../rows/upload-cases.ts';
import {
  namedInReport,
  pipelineNotice,
  type ReportedTest,
  type UploadReport,
} from '../rows/upload-report.ts';
import type { Upload, Uploaded } from './upload.ts';

export async function uploadReportOf(
  q: Query,
  upload: Upload,
  { matched, totals, tally, renames, before, testsBefore, ...uploaded }: Uploaded,
  signal: AbortSignal,
): Promise<UploadReport> {
  const [missing, missingIds] = [testsBefore.unseenCount, testsBefore.unseen(namedInReport)];
  const { failing, newlyFailing, fixed, flaky, unmatched, quarantined, quarantinedCases } = tally;
  return {
    runId: uploaded.runId,
    runKey: upload.runKey,
    dryRun: upload.dryRun,
    totals: {
      ...sumOf(totals),
      flaky: flaky.count,
      ...(quarantinedCases === 0 ? {} : { quarantined: quarantinedCases }),
    },
    files: upload.files.map(({ name, read }, index) => ({
      file: name,
      format: read.format,
      ...(totals[index] ?? noTotals()),
    })),
    matched: uploaded.known,
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
    renamedCount: renames.length,
    missing,
    missingTests: await testsByName(q, missingIds, signal),
    flakyTests: flaky.tests,
    comparedWith: before ? { runId: before.id, runName: before.name } : null,
    failing: failing.tests,
    ...(quarantined.count === 0
      ? {}
      : { quarantined: quarantined.tests, quarantinedCount: quarantined.count }),
    newlyFailing: newlyFailing.tests,
    newlyFailingCount: newlyFailing.count,
    fixed: fixed.tests,
    fixedCount: fixed.count,
    duplicates: [...matched.duplicates],
    warnings: [
      ...uploaded.warnings,
      ...notKept(unmatched.count),
      ...upload.files.flatMap(({ name, read }) => read.warnings.map((warning) => `${name}: ${warning}`)),
    ].slice(0, namedInReport),
    notice: pipelineNotice,
  };
}

/** A run counts only the cases without a test that it keeps, so this report may be the only place that names more. */
const notKept = (unmatchedCount: number): readonly string[] =>
  unmatchedCount > keptOfAKind
    ? [
        `${unmatchedCount} cases belong to no test. The run keeps and counts at most ${keptOfAKind} failed ones and ${keptOfAKind} others. --create on makes tests of them.`,
      ]
    : [];

/** Tests by key; a test without a key by its name. */
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
