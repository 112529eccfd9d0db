import type { CaseList } from '../cases/case-list.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft } from '../cases/case-draft.ts';
import { isList, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../text/json-values.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';
import { jsonFormat } from './report-format.ts';

/** Statuses of a step. Undefined, pending and ambiguous fail the run, as in all current Cucumber versions. */
const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['ambiguous', 'failed'],
  ['undefined', 'failed'],
  ['pending', 'failed'],
  ['unknown', 'failed'],
  ['skipped', 'skipped'],
]);

/** The JSON of Cucumber: features with their scenarios; the steps determine the result. */
function* cucumberCases(features: readonly JsonObject[], list: CaseList): Generator<void, void> {
  for (const feature of features) {
    let background: readonly JsonObject[] = [];
    for (const element of objectsIn(feature, 'elements')) {
      // Cucumber-JVM writes the background before each scenario.
      if (textIn(element, 'type') === 'background') {
        background = stepsOf(element);
        continue;
      }
      add(feature, element, [...background, ...stepsOf(element)], list);
      background = [];
      yield;
    }
  }
}

const stepsOf = (element: JsonObject): readonly JsonObject[] =>
  ['before', 'steps', 'after'].flatMap((member) => objectsIn(element, member));

function add(feature: JsonObject, element: JsonObject, steps: readonly JsonObject[], list: CaseList): void {
  let status: ReportedStatus = 'skipped';
  let nanoseconds = 0;
  const messages: string[] = [];
  for (const step of steps) {
    const result = objectIn(step, 'result');
    const said = textIn(result, 'status');
    const ofStep = statuses.get(said.toLowerCase());
    if (!ofStep) {
      throw new FileFault(
        `A step of "${textIn(element, 'name').slice(0, 200)}" has the status "${said}", which is unknown.`,
      );
    }
    nanoseconds += numberIn(result, 'duration') ?? 0;
    if (ofStep === 'failed')
      messages.push(textIn(result, 'error_message') || `${said}: ${textIn(step, 'name')}`);
    if (ofStep === 'failed' || (ofStep === 'passed' && status !== 'failed')) status = ofStep;
  }
  // A step that was skipped without an earlier failure skips its scenario.
  if (status === 'passed' && steps.some((step) => textIn(objectIn(step, 'result'), 'status') === 'skipped'))
    status = 'skipped';
  const tags = [...objectsIn(feature, 'tags'), ...objectsIn(element, 'tags')].map((tag) =>
    textIn(tag, 'name'),
  );
  const row = exampleOf(textIn(element, 'id'), textIn(element, 'name'));
  const one = caseOfDraft({
    suites: [textIn(feature, 'name')],
    name: textIn(element, 'name'),
    ...(row !== undefined && { parameters: row }),
    status,
    attempts: [attemptOf(status, nanoseconds / 1e6, undefined, messages.join('\n\n'))],
    file: textIn(feature, 'uri'),
    line: numberIn(element, 'line'),
    tags: [...new Set(tags)],
    attachments: steps.flatMap((step) =>
      objectsIn(step, 'embeddings')
        .map((each) => textIn(each, 'name'))
        .filter(Boolean),
    ),
  });
  list.add(one, 'own');
}

/** The row of an outline, by an id `feature;scenario;examples;row` of Cucumber-JVM or Ruby. A scenario of a rule has as many parts. */
function exampleOf(id: string, name: string): string | undefined {
  const found = /;([^;]*);(\d+)$/.exec(id);
  if (!found) return undefined;
  const [, examples = '', row = ''] = found;
  if (examples === '') return row;
  const scenario = name.replaceAll(/[\s'_,!]/g, '-').toLowerCase();
  return id.slice(0, found.index).endsWith(`;${scenario}`) ? `${examples} ${row}` : undefined;
}

export const cucumber = jsonFormat(
  { name: 'cucumber', title: 'Cucumber', writtenBy: 'the formatter `json` of Cucumber in any language' },
  (whole): whole is readonly JsonObject[] =>
    isList(whole) &&
    whole.every((feature) => 'elements' in feature || ('uri' in feature && 'keyword' in feature)),
  cucumberCases,
);
