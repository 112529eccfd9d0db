import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import {
  durationOf,
  idProperty,
  outcomeOf,
  skippedBecause,
  type ExportedRun,
  type RunResult,
} from './run-result.ts';

/*
 * The results of a run as a report of the Common Test Report Format (ctrf.io), whose schema allows no other members.
 */

/** Characters of one piece: about 0.2 ms. */
const pieceLength = 16 * 1024;
/** Results between two checks of the clock. */
const step = 10_000;

export async function* runCtrf(
  run: ExportedRun,
  results: readonly RunResult[],
  signal?: AbortSignal,
): AsyncGenerator<string, void> {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0, other: 0, flaky: 0 };
  let durationMs = 0;
  for (const [at, result] of results.entries()) {
    counts[outcomeOf(result.status)]++;
    if (isFlaky(result)) counts.flaky++;
    durationMs += durationOf(result);
    if (at % step === 0 && turnIsOver()) await nextTurn(signal);
  }
  const start = Math.round(run.createdAt);
  // The end of the last test was not recorded: this is when it would have ended if the tests ran one after the other.
  const summary = { tests: results.length, ...counts, start, stop: start + Math.round(durationMs) };
  const head = { tool: { name: 'Trivet' }, summary, environment: { reportName: run.name } };
  let piece = `{"reportFormat":"CTRF","specVersion":"0.0.0","generatedBy":"Trivet","results":${JSON.stringify(head).slice(0, -1)},"tests":[`;
  for (const [at, result] of results.entries()) {
    piece += `${at > 0 ? ',' : ''}${JSON.stringify(testOf(result))}`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
    if (turnIsOver()) await nextTurn(signal);
  }
  yield `${piece}]}}`;
}

const isFlaky = ({ status, flaky }: RunResult): boolean => status === 'passed' && flaky === true;

function testOf(result: RunResult) {
  const { name, suites, status, message, file, line, testId } = result;
  const outcome = outcomeOf(status);
  return {
    name: name === '' ? '(no name)' : name,
    status: outcome,
    rawStatus: status,
    duration: Math.round(durationOf(result)),
    ...(suites.length > 0 && { suite: suites }),
    ...(outcome === 'skipped' ? { message: skippedBecause(result) } : message !== undefined && { message }),
    ...(file !== undefined && { filePath: file }),
    ...(line !== undefined && { line }),
    ...(isFlaky(result) && { flaky: true }),
    ...(testId === undefined ? {} : { extra: { [idProperty]: String(testId) } }),
  };
}
