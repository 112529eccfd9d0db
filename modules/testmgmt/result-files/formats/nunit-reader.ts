import { inParentheses } from '../cases/case-parameters.ts';
import type { CaseList } from '../cases/case-list.ts';
import { millisecondsOf, momentOf } from '../cases/case-values.ts';
import { ElementCase, withoutType, type KeptElements } from './element-case.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace } from '../cases/case-draft.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';
import type { XmlHandler } from '../text/xml-reader.ts';
import type { ReportFormat } from './report-format.ts';

/** The words of version 3 and of version 2. */
const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['Passed', 'passed'],
  ['Warning', 'passed'],
  ['Failed', 'failed'],
  ['Skipped', 'skipped'],
  ['Inconclusive', 'skipped'],
  ['Success', 'passed'],
  ['Failure', 'failed'],
  ['Error', 'failed'],
  ['Cancelled', 'failed'],
  ['Ignored', 'skipped'],
  ['NotRunnable', 'skipped'],
]);

const keep: KeptElements = {
  heads: new Set([
    'failure/message',
    'failure/stack-trace',
    'reason/message',
    'attachments/attachment/filePath',
  ]),
  tails: new Set(['output']),
  listed: new Set(['properties/property', 'categories/category']),
};

/** NUnit 3, https://docs.nunit.org/articles/nunit/technical-notes/usage/Test-Result-XML-Format.html, and NUnit 2. */
class NunitReader implements XmlHandler {
  readonly #list: CaseList;
  #case: ElementCase | undefined;

  constructor(list: CaseList) {
    this.#list = list;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#case) this.#case.open(name, attributes);
    else if (name === 'test-case') this.#case = new ElementCase(attributes, keep);
  }

  text(piece: string): void {
    this.#case?.text(piece);
  }

  close(): void {
    if (this.#case?.close() !== true) return;
    this.#add(this.#case);
    this.#case = undefined;
  }

  #add(one: ElementCase): void {
    const said = one.attribute('result');
    const status = said === '' ? earlyStatus(one) : statuses.get(said);
    if (!status) {
      throw new FileFault(
        `A test-case has the result "${said.slice(0, 100)}", which is unknown, so nobody knows whether it passed.`,
      );
    }
    const failure = messageWithTrace(one.textOf('failure/message'), one.textOf('failure/stack-trace'));
    const message = status === 'failed' ? failure : one.textOf('reason/message');
    const properties = one
      .listOf('properties/property')
      .map(({ name = '', value = '' }) => [name, value] as const);
    const path = one.textOf('attachments/attachment/filePath');
    const draft = caseOfDraft({
      ...placeOf(one),
      status,
      attempts: [
        attemptOf(
          status,
          millisecondsOf(one.attributes['duration'] ?? one.attributes['time']),
          momentOf(one.attributes['start-time']?.replace(/^(\S+) (\S+?)Z?$/, '$1T$2Z')),
          status === 'passed' ? '' : message,
        ),
      ],
      tags: [
        ...properties.filter(([name]) => name === 'Category').map(([, value]) => value),
        ...one.listOf('categories/category').map(({ name = '' }) => name),
      ],
      properties: Object.fromEntries(
        properties.filter(([name]) => name !== 'Category' && !name.startsWith('_')),
      ),
      attachments: path === '' ? [] : [path],
      output: one.textOf('output'),
    });
    this.#list.add(draft, 'own');
  }
}

/** Before version 2.5 a case had no result. */
function earlyStatus(one: ElementCase): ReportedStatus | undefined {
  if (one.attributes['executed'] === 'False') return 'skipped';
  const success = one.attributes['success'];
  return success === undefined ? undefined : success === 'True' ? 'passed' : 'failed';
}

/** The fixture with its arguments occurs only in the full name: `Acme.MathTests(1).Adds(2)`. Version 2 has only the full name. */
function placeOf(one: ElementCase): {
  readonly suites: readonly string[];
  readonly name: string;
  readonly parameters?: string;
} {
  const name = one.attribute('name');
  const full = one.attribute('fullname') || name;
  const type = one.attribute('classname');
  const ofFixture = full.endsWith(`.${name}`) ? full.slice(0, -name.length - 1) : '';
  if (type !== '') {
    const suite = ofFixture.startsWith(type) ? ofFixture : type;
    return { suites: [suite], ...inParentheses(withoutType(name, suite)) };
  }
  const { name: bare, parameters } = inParentheses(full);
  const dot = bare.lastIndexOf('.');
  return {
    suites: [bare.slice(0, Math.max(0, dot))],
    name: bare.slice(dot + 1),
    ...(parameters !== undefined && { parameters }),
  };
}

export const nunit: ReportFormat = {
  kind: 'xml',
  name: 'nunit',
  title: 'NUnit',
  writtenBy: 'NUnit 2 and 3, Unity',
  // The last one is a partial report, as Unity and runners of plugins write it.
  roots: ['test-run', 'test-results', 'test-suite'],
  reader: (list) => new NunitReader(list),
};
