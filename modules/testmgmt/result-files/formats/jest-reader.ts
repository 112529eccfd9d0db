import { isObject } from '../../../../core/json/json-scan.ts';
import { attemptOf, caseOfDraft } from '../cases/case-draft.ts';
import { isFlaky, type CaseList } from '../cases/case-list.ts';
import type { ReportedAttempt, ReportedStatus } from '../cases/reported-case.ts';
import { FileFault } from '../text/file-fault.ts';
import { numberIn, objectsIn, textIn, textsIn, type JsonObject } from '../text/json-values.ts';
import { pathInProject } from './path-in-project.ts';
import { jsonFormat } from './report-format.ts';

const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['pending', 'skipped'],
  ['skipped', 'skipped'],
  ['todo', 'skipped'],
  ['disabled', 'skipped'],
  // Vitest: only its hooks were reached.
  ['focused', 'skipped'],
]);

/** What `jest --json` writes, and Vitest's reporter `json` as well: files with their assertions. */
function* jestCases(root: JsonObject, list: CaseList): Generator<void, void> {
  for (const ofFile of objectsIn(root, 'testResults')) {
    const file = pathInProject(textIn(ofFile, 'name'));
    const assertions = objectsIn(ofFile, 'assertionResults');
    for (const one of assertions) {
      list.add(caseOf(one, file), 'own');
      yield;
    }
    // It could not be loaded, or a hook of Vitest failed, which stands nowhere else.
    const hasFailure = assertions.some((one) => textIn(one, 'status') === 'failed');
    if (textIn(ofFile, 'status') !== 'failed' || hasFailure) continue;
    const message = textIn(ofFile, 'message') || 'The file failed outside of its tests.';
    list.add(
      caseOfDraft({
        suites: [],
        name: file,
        status: 'failed',
        attempts: [attemptOf('failed', undefined, numberIn(ofFile, 'startTime'), message)],
        file,
      }),
      'own',
    );
    yield;
  }
}

function caseOf(one: JsonObject, file: string) {
  const status = statusOf(one);
  const messages = textsIn(one, 'failureMessages');
  const ended = attemptOf(
    status,
    numberIn(one, 'duration'),
    numberIn(one, 'startAt'),
    status === 'failed' ? (messages.at(-1) ?? '') : '',
  );
  const attempts = [...earlierOf(one, status, messages), ended];
  return caseOfDraft({
    suites: [file, ...textsIn(one, 'ancestorTitles')],
    name: textIn(one, 'title'),
    status,
    ...(attempts.length > 1 && { flaky: isFlaky(status, attempts) }),
    attempts,
    file,
    line: numberIn(isObject(one['location']) ? one['location'] : {}, 'line'),
    tags: textsIn(one, 'tags'),
  });
}

/** Jest counts the attempts; Vitest keeps the failures of a test that passed in the end. */
function earlierOf(
  one: JsonObject,
  status: ReportedStatus,
  messages: readonly string[],
): readonly ReportedAttempt[] {
  const told = [...textsIn(one, 'retryReasons'), ...(status === 'passed' ? messages : messages.slice(0, -1))];
  const count = Math.max(told.length, Math.min(20, (numberIn(one, 'invocations') ?? 1) - 1));
  return Array.from({ length: count }, (_, index) =>
    attemptOf('failed', undefined, undefined, told[index] ?? ''),
  );
}

function statusOf(one: JsonObject): ReportedStatus {
  const said = textIn(one, 'status');
  const status = statuses.get(said);
  if (status) return status;
  const name = textIn(one, 'fullName').slice(0, 200);
  throw new FileFault(`The test "${name}" has the status "${said}", which is unknown.`);
}

export const jest = jsonFormat(
  { name: 'jest', title: 'Jest JSON', writtenBy: '`jest --json`, `vitest --reporter=json`' },
  (whole): whole is JsonObject =>
    isObject(whole) && Array.isArray(whole['testResults']) && 'numTotalTests' in whole,
  jestCases,
);
