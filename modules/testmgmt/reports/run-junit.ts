import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import {
  durationOf,
  idProperty,
  outcomeOf,
  skippedBecause,
  type ExportedRun,
  type RunResult,
} from './run-result.ts';
import { xmlContent, xmlValue } from './xml-text.ts';

/*
 * The results of a run as JUnit XML. It has no standard; this is what Jenkins, GitLab and Surefire read (suites in suites, `classname`,
 * `flakyFailure`). Totals precede the results, so the results are arranged first and then written in pieces.
 */

/** Characters of one piece: about 0.2 ms. */
const pieceLength = 16 * 1024;
/** Results between two checks of the clock. */
const step = 500;

interface Suite {
  readonly name: string;
  /** Including its parent suites; the `classname` of its cases. */
  readonly path: string;
  readonly suites: Map<string, Suite>;
  readonly cases: RunResult[];
  tests: number;
  failures: number;
  skipped: number;
  durationMs: number;
}

const suiteOf = (name: string, path: string): Suite => ({
  name,
  path,
  suites: new Map(),
  cases: [],
  tests: 0,
  failures: 0,
  skipped: 0,
  durationMs: 0,
});

export async function* runJunit(
  run: ExportedRun,
  results: readonly RunResult[],
  signal?: AbortSignal,
): AsyncGenerator<string, void> {
  const root = await arranged(run, results, signal);
  const at = new Date(run.createdAt).toISOString().slice(0, 19);
  let piece = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(root)} timestamp="${at}">\n`;
  for (const line of linesOf(root)) {
    piece += line;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
    if (turnIsOver()) await nextTurn(signal);
  }
  yield `${piece}</testsuites>\n`;
}

async function arranged(
  run: ExportedRun,
  results: readonly RunResult[],
  signal: AbortSignal | undefined,
): Promise<Suite> {
  const root = suiteOf(run.name, '');
  let done = 0;
  for (const result of results) {
    let suite = root;
    count(suite, result);
    // Most readers require a suite for each case; a suite without a name adds nothing to its path.
    for (const name of result.suites.length === 0 ? [''] : result.suites) {
      const inner =
        suite.suites.get(name) ?? suiteOf(name, suite === root ? name : `${suite.path} > ${name}`);
      suite.suites.set(name, inner);
      count(inner, result);
      suite = inner;
    }
    suite.cases.push(result);
    if (++done % step === 0 && turnIsOver()) await nextTurn(signal);
  }
  return root;
}

function count(suite: Suite, result: RunResult): void {
  const outcome = outcomeOf(result.status);
  suite.tests++;
  if (outcome === 'failed') suite.failures++;
  if (outcome === 'skipped') suite.skipped++;
  suite.durationMs += durationOf(result);
}

/** Seconds, to the microsecond. */
const seconds = (milliseconds: number): string => String(Number((milliseconds / 1000).toFixed(6)));

const totals = ({ name, tests, failures, skipped, durationMs }: Suite): string =>
  `name="${xmlValue(name)}" tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds(durationMs)}"`;

/** The suites in the order in which they first appear. Not recursive: a foreign file may nest thousands. */
function* linesOf(root: Suite): Generator<string, void> {
  const open = [root.suites.values()];
  for (;;) {
    const next = open.at(-1)?.next();
    if (next === undefined) return;
    if (next.done) {
      open.pop();
      if (open.length > 0) yield '</testsuite>\n';
      continue;
    }
    yield `<testsuite ${totals(next.value)}>\n`;
    for (const result of next.value.cases) yield caseOf(result, next.value.path);
    open.push(next.value.suites.values());
  }
}

function caseOf(result: RunResult, path: string): string {
  const { name, testId, file, line, durationMs } = result;
  const attributes = [
    `name="${xmlValue(name)}" classname="${xmlValue(path)}"`,
    ...(file === undefined ? [] : [`file="${xmlValue(file)}"`]),
    ...(line === undefined ? [] : [`line="${line}"`]),
    ...(durationMs === undefined ? [] : [`time="${seconds(durationOf(result))}"`]),
  ];
  const property =
    testId === undefined ? '' : `<properties><property name="${idProperty}" value="${testId}"/></properties>`;
  return `<testcase ${attributes.join(' ')}>${property}${outcomeElement(result)}</testcase>\n`;
}

function outcomeElement(result: RunResult): string {
  const { status, message = '', flaky } = result;
  const [first = ''] = message.trim().split(/\r?\n/, 1);
  if (status === 'failed') return `<failure message="${xmlValue(first)}">${xmlContent(message)}</failure>`;
  if (status !== 'passed') return `<skipped message="${xmlValue(skippedBecause(result))}"/>`;
  return flaky === true
    ? `<flakyFailure message="${xmlValue(first)}">${xmlContent(message)}</flakyFailure>`
    : '';
}
