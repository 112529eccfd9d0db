import { isObject } from '../../../../core/json/json-scan.ts';
import { historyProperty, joinedAttempts } from '../cases/case-history.ts';
import type { CaseList } from '../cases/case-list.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace, type CaseDraft } from '../cases/case-draft.ts';
import {
  isList,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  type JsonObject,
} from '../text/json-values.ts';
import type { ReportedCase, ReportedStatus } from '../cases/reported-case.ts';
import { jsonFormat } from './report-format.ts';

const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['broken', 'failed'],
  ['skipped', 'skipped'],
  ['unknown', 'skipped'],
  // A pending test has no status.
  ['', 'skipped'],
]);

/** Labels that say where a test belongs or where it ran; all others are properties. */
const structure = new Set([
  'parentSuite',
  'suite',
  'subSuite',
  'package',
  'testClass',
  'testMethod',
  'titlePath',
  'host',
  'thread',
  'framework',
  'language',
  'resultFormat',
  'tag',
]);

/**
 * Results of Allure, which writes each into its own file: a single one, or several as a list or in sequence. Results with one `historyId`
 * are attempts of one test; whoever combines several files relies on that property.
 */
function* allureCases(results: readonly JsonObject[], list: CaseList): Generator<void, void> {
  const byHistory = new Map<string, ReportedCase[]>();
  for (const result of results) {
    const history = textIn(result, historyProperty) || textIn(result, 'uuid');
    byHistory.getOrInsert(history, []).push(caseOfDraft(draftOf(result)));
    yield;
  }
  for (const cases of byHistory.values()) {
    list.add(joinedAttempts(cases), 'own');
    yield;
  }
}

function draftOf(result: JsonObject): CaseDraft {
  const said = textIn(result, 'status');
  const status = statuses.get(said);
  const name = textIn(result, 'name');
  if (!status)
    throw new FileFault(`The test "${name.slice(0, 200)}" has the status "${said}", which is unknown.`);
  const labels = objectsIn(result, 'labels');
  const labelled = (label: string) =>
    labels.filter((each) => textIn(each, 'name') === label).map((each) => textIn(each, 'value'));
  const named = ['parentSuite', 'suite', 'subSuite'].flatMap((label) => labelled(label).slice(0, 1));
  const start = numberIn(result, 'start');
  const stop = numberIn(result, 'stop');
  const details = objectIn(result, 'statusDetails');
  const message = messageWithTrace(textIn(details, 'message'), textIn(details, 'trace'));
  const parameters = objectsIn(result, 'parameters').filter(
    (each) => each['excluded'] !== true && textIn(each, 'mode') !== 'hidden',
  );
  // The Allure adapter for Playwright writes the project as the first suite and as a parameter.
  const project = labelled('framework').includes('playwright')
    ? parameters.find((each) => textIn(each, 'name') === 'Project')
    : undefined;
  const variant = project ? textIn(project, 'value') : '';
  const others = labels.filter(
    (each) => !structure.has(textIn(each, 'name')) && !textIn(each, 'name').startsWith('_'),
  );
  const titles = textsIn(result, 'titlePath');
  return {
    suites: (named.length > 0 ? named : titles).flatMap((suite) =>
      suite === variant ? [] : suite.split(' > '),
    ),
    name,
    parameters: parameters
      .filter((each) => each !== project)
      .map((each) => `${textIn(each, 'name')}: ${textIn(each, 'value')}`)
      .join(', '),
    variant,
    status,
    attempts: [
      attemptOf(
        status,
        start !== undefined && stop !== undefined ? stop - start : undefined,
        start,
        status === 'passed' ? '' : message,
      ),
    ],
    tags: labelled('tag'),
    // First, so that it is among those that are kept.
    properties: {
      ...(textIn(result, historyProperty) && { [historyProperty]: textIn(result, historyProperty) }),
      ...Object.fromEntries(
        others.flatMap((each) => {
          const label = textIn(each, 'name');
          return label === historyProperty ? [] : [[label, textIn(each, 'value')]];
        }),
      ),
    },
    attachments: attachmentsOf(result),
  };
}

/** Including those of its steps. */
function attachmentsOf(step: JsonObject): readonly string[] {
  const own = objectsIn(step, 'attachments').map((each) => textIn(each, 'source') || textIn(each, 'name'));
  return [...own, ...objectsIn(step, 'steps').flatMap(attachmentsOf)].filter(Boolean);
}

const isResult = (result: JsonObject): boolean =>
  textIn(result, 'uuid') !== '' &&
  ('status' in result || 'historyId' in result || 'stage' in result) &&
  'name' in result;

export const allure = jsonFormat(
  {
    name: 'allure',
    title: 'Allure',
    writtenBy: 'the adapters of Allure; several results as a list or one after the other',
  },
  (whole): whole is JsonObject | readonly JsonObject[] =>
    isObject(whole) ? isResult(whole) : isList(whole) && whole.every(isResult),
  (whole, list) => allureCases(isObject(whole) ? [whole] : whole, list),
);
