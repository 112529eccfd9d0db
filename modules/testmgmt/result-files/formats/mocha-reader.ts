import { isObject } from '../../../../core/json/json-scan.ts';
import { attemptOf, caseOfDraft, messageWithTrace } from '../cases/case-draft.ts';
import { isFlaky, type CaseList } from '../cases/case-list.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';
import { numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../text/json-values.ts';
import { pathInProject } from './path-in-project.ts';
import { jsonFormat } from './report-format.ts';

/** What Mocha's reporter `json` writes. A hook that failed stands among the failures only. */
function* mochaCases(root: JsonObject, list: CaseList): Generator<void, void> {
  const tests = objectsIn(root, 'tests');
  const pending = new Set(objectsIn(root, 'pending').map(identityOf));
  const known = new Set(tests.map(identityOf));
  const hooks = objectsIn(root, 'failures').filter((one) => !known.has(identityOf(one)));
  for (const one of [...tests, ...hooks]) {
    const error = objectIn(one, 'err');
    const hasFailed = Object.keys(error).length > 0;
    const isSkipped = pending.has(identityOf(one)) && !hasFailed;
    const status: ReportedStatus = hasFailed ? 'failed' : isSkipped ? 'skipped' : 'passed';
    const message = messageWithTrace(textIn(error, 'message'), textIn(error, 'stack'));
    const earlier = Math.max(0, Math.min(20, numberIn(one, 'currentRetry') ?? 0));
    const attempts = [
      ...Array.from({ length: earlier }, () => attemptOf('failed', undefined, undefined, '')),
      attemptOf(status, numberIn(one, 'duration'), undefined, message),
    ];
    const [title, whole] = [textIn(one, 'title'), textIn(one, 'fullTitle')];
    list.add(
      caseOfDraft({
        // The titles of the suites are not told apart.
        suites: [whole.endsWith(title) ? whole.slice(0, whole.length - title.length).trim() : ''],
        name: title,
        status,
        ...(earlier > 0 && { flaky: isFlaky(status, attempts) }),
        attempts,
        file: pathInProject(textIn(one, 'file')),
      }),
      'own',
    );
    yield;
  }
}

const identityOf = (one: JsonObject): string => `${textIn(one, 'file')}\0${textIn(one, 'fullTitle')}`;

export const mocha = jsonFormat(
  { name: 'mocha', title: 'Mocha JSON', writtenBy: '`mocha --reporter json`' },
  (whole): whole is JsonObject =>
    isObject(whole) &&
    isObject(whole['stats']) &&
    Array.isArray(whole['tests']) &&
    Array.isArray(whole['failures']),
  mochaCases,
);
