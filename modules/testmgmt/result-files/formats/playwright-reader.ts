import { isObject } from '../../../../core/json/json-scan.ts';
import type { CaseList } from '../cases/case-list.ts';
import { momentOf } from '../cases/case-values.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace } from '../cases/case-draft.ts';
import { numberIn, objectIn, objectsIn, textIn, textsIn, type JsonObject } from '../text/json-values.ts';
import type { ReportedAttempt, ReportedStatus } from '../cases/reported-case.ts';
import { jsonFormat } from './report-format.ts';

/** The overall outcome of a test; its results are only attempts. */
const outcomes: ReadonlyMap<string, ReportedStatus> = new Map([
  ['expected', 'passed'],
  ['flaky', 'passed'],
  ['unexpected', 'failed'],
  ['skipped', 'skipped'],
]);

/** The JSON of Playwright: the suites of a file, with one test per project in every spec. */
function* playwrightCases(root: JsonObject, list: CaseList): Generator<void, void> {
  for (const error of objectsIn(root, 'errors')) {
    const message = textIn(error, 'message').split('\n', 1)[0] ?? '';
    list.warn(
      `An error outside of tests: ${attemptOf('failed', undefined, undefined, message.slice(0, 500)).message ?? ''}`,
    );
  }
  for (const suite of objectsIn(root, 'suites')) yield* casesOfSuite(suite, [], list);
}

function* casesOfSuite(suite: JsonObject, above: readonly string[], list: CaseList): Generator<void, void> {
  const suites = [...above, textIn(suite, 'title')];
  for (const spec of objectsIn(suite, 'specs')) {
    for (const test of objectsIn(spec, 'tests')) add(spec, test, suites, list);
    yield;
  }
  for (const inner of objectsIn(suite, 'suites')) yield* casesOfSuite(inner, suites, list);
}

function add(spec: JsonObject, test: JsonObject, suites: readonly string[], list: CaseList): void {
  const said = textIn(test, 'status');
  const expected = textIn(test, 'expectedStatus');
  const status = outcomes.get(said);
  if (!status)
    throw new FileFault(
      `The test "${textIn(spec, 'title').slice(0, 200)}" has the status "${said}", which is unknown.`,
    );
  const results = objectsIn(test, 'results');
  const attempts = results.map((result) => attemptOfResult(result, expected));
  const annotations = objectsIn(test, 'annotations');
  const one = caseOfDraft({
    suites,
    name: textIn(spec, 'title'),
    variant: textIn(test, 'projectName'),
    status,
    flaky: said === 'flaky',
    attempts: attempts.length > 0 ? attempts : [{ status }],
    file: textIn(spec, 'file'),
    line: numberIn(spec, 'line'),
    tags: textsIn(spec, 'tags'),
    properties: Object.fromEntries(
      annotations.map((each) => [textIn(each, 'type'), textIn(each, 'description')]),
    ),
    attachments: results.flatMap((result) =>
      objectsIn(result, 'attachments').map((each) => textIn(each, 'path') || textIn(each, 'name')),
    ),
    output: results
      .flatMap((result) => ['stdout', 'stderr'].flatMap((stream) => printed(result, stream)))
      .join(''),
  });
  list.add(one, 'own');
}

const printed = (result: JsonObject, stream: string): readonly string[] =>
  objectsIn(result, stream).map((each) => textIn(each, 'text'));

function attemptOfResult(result: JsonObject, expected: string): ReportedAttempt {
  const said = textIn(result, 'status');
  // A test that is expected to fail passes by failing.
  const status: ReportedStatus = said === 'skipped' ? 'skipped' : said === expected ? 'passed' : 'failed';
  const errors =
    objectsIn(result, 'errors').length > 0 ? objectsIn(result, 'errors') : [objectIn(result, 'error')];
  const message = errors
    .map((error) => messageWithTrace(textIn(error, 'message'), textIn(error, 'stack')))
    .join('\n\n');
  return attemptOf(
    status,
    numberIn(result, 'duration'),
    momentOf(textIn(result, 'startTime')),
    status === 'passed' ? '' : message || (status === 'failed' ? said : ''),
  );
}

export const playwright = jsonFormat(
  { name: 'playwright', title: 'Playwright', writtenBy: "Playwright's reporter `json`" },
  (whole): whole is JsonObject =>
    isObject(whole) && isObject(whole['config']) && Array.isArray(whole['suites']),
  playwrightCases,
);
