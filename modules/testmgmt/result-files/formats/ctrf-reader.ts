import { isObject } from '../../../../core/json/json-scan.ts';
import { isFlaky, type CaseList } from '../cases/case-list.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace } from '../cases/case-draft.ts';
import { numberIn, objectIn, objectsIn, textIn, textsIn, type JsonObject } from '../text/json-values.ts';
import type { ReportedAttempt, ReportedStatus } from '../cases/reported-case.ts';
import { jsonFormat } from './report-format.ts';

const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  // Not a verdict: Playwright's reporter writes it for an interrupted test.
  ['other', 'skipped'],
]);

/** Common Test Report Format, https://ctrf.io. Its summary is not read: Playwright's contradicts its own tests. */
function* ctrfCases(root: JsonObject, list: CaseList): Generator<void, void> {
  const results = objectIn(root, 'results');
  const isPlaywright = textIn(objectIn(results, 'tool'), 'name') === 'playwright';
  const isOurs = textIn(root, 'generatedBy') === 'Trivet';
  let without = 0;
  for (const test of objectsIn(results, 'tests')) {
    const status = statusOf(test);
    if (textIn(test, 'status') === 'other') without++;
    const titles = Array.isArray(test['suite']) ? textsIn(test, 'suite') : textIn(test, 'suite').split(' > ');
    // The first title is the project.
    const project = isPlaywright && titles.length > 1 ? (titles[0] ?? '') : textIn(test, 'browser');
    const attempts = [...retriesOf(test, status), attemptOfTest(test, status, isOurs)];
    const retries = numberIn(test, 'retries') ?? 0;
    const one = caseOfDraft({
      suites: isPlaywright && titles.length > 1 ? titles.slice(1) : titles,
      name: textIn(test, 'name'),
      variant: project,
      status,
      ...((typeof test['flaky'] === 'boolean' || retries > 0) && { flaky: isFlaky(status, attempts) }),
      attempts,
      file: textIn(test, 'filePath') || textIn(test, 'filepath'),
      line: numberIn(test, 'line'),
      tags: textsIn(test, 'tags'),
      properties: propertiesOf(test),
      attachments: objectsIn(test, 'attachments').map((each) => textIn(each, 'path') || textIn(each, 'name')),
      output: [...textsIn(test, 'stdout'), ...textsIn(test, 'stderr')].join('\n'),
    });
    list.add(one, 'own');
    yield;
  }
  if (without > 0)
    list.warn(
      without === 1
        ? '1 case has the status "other", which is no verdict: it counts as skipped.'
        : `${without} cases have the status "other", which is no verdict: they count as skipped.`,
    );
}

function statusOf(test: JsonObject): ReportedStatus {
  const said = textIn(test, 'status');
  const status = statuses.get(said);
  if (!status)
    throw new FileFault(
      `The test "${textIn(test, 'name').slice(0, 200)}" has the status "${said}", which is unknown.`,
    );
  return status;
}

/** @param isOurs the file is of download-results, which has 0 where no duration is known: the format requires a number. */
function attemptOfTest(test: JsonObject, status: ReportedStatus, isOurs = false): ReportedAttempt {
  const given = numberIn(test, 'duration');
  const duration = isOurs && given === 0 ? undefined : given;
  const message = messageWithTrace(textIn(test, 'message'), textIn(test, 'trace'));
  return attemptOf(status, duration, startOf(test), status === 'passed' ? '' : message);
}

/** Some reporters write seconds, although the format specifies milliseconds. */
function startOf(test: JsonObject): number | undefined {
  const start = numberIn(test, 'start');
  return start === undefined || start <= 0 ? undefined : start < 1e11 ? start * 1_000 : start;
}

/** The attempts before the last: as listed, or as many as the file counts. A test that is only said to be flaky failed at least once. */
function retriesOf(test: JsonObject, status: ReportedStatus): readonly ReportedAttempt[] {
  const listed = objectsIn(test, 'retryAttempts').map((attempt) => attemptOfTest(attempt, statusOf(attempt)));
  if (listed.length > 0) return listed;
  const isSaidFlaky = test['flaky'] === true && status === 'passed';
  const retries = Math.min(Math.max(numberIn(test, 'retries') ?? 0, isSaidFlaky ? 1 : 0), 20);
  return Array.from({ length: retries }, () => ({ status: 'failed' as const }));
}

/** A test's own properties are named `labels` (newer) or `extra`; Playwright annotations are in the latter. */
function propertiesOf(test: JsonObject): Record<string, string> {
  const found: Record<string, string> = {};
  for (const member of ['labels', 'extra']) {
    for (const [key, value] of Object.entries(objectIn(test, member))) {
      if (typeof value === 'string' || typeof value === 'number') found[key] = String(value);
    }
  }
  for (const annotation of objectsIn(objectIn(test, 'extra'), 'annotations')) {
    found[textIn(annotation, 'type')] = textIn(annotation, 'description');
  }
  return found;
}

export const ctrf = jsonFormat(
  { name: 'ctrf', title: 'CTRF', writtenBy: 'the reporters of ctrf.io' },
  (whole): whole is JsonObject => isObject(whole) && Array.isArray(objectIn(whole, 'results')['tests']),
  ctrfCases,
);
