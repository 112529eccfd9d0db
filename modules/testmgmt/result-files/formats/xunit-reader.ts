import { inParentheses, type NameParts } from '../cases/case-parameters.ts';
import type { CaseList } from '../cases/case-list.ts';
import { lineOf, millisecondsOf } from '../cases/case-values.ts';
import { ElementCase, withoutType, type KeptElements } from './element-case.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace } from '../cases/case-draft.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';
import type { XmlHandler } from '../text/xml-reader.ts';
import type { ReportFormat } from './report-format.ts';

const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['Pass', 'passed'],
  ['Fail', 'failed'],
  ['Skip', 'skipped'],
  // Explicit tests of version 3.
  ['NotRun', 'skipped'],
]);

const keep: KeptElements = {
  heads: new Set(['failure/message', 'failure/stack-trace', 'reason', 'reason/message']),
  tails: new Set(['output']),
  listed: new Set(['traits/trait', 'attachments/attachment']),
};

/** The XML of xUnit.net, versions 1 to 3: https://xunit.net/docs/format-xml-v2 and -v3. */
class XunitReader implements XmlHandler {
  readonly #list: CaseList;
  #case: ElementCase | undefined;
  #errors = 0;

  constructor(list: CaseList) {
    this.#list = list;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#case) this.#case.open(name, attributes);
    else if (name === 'test') this.#case = new ElementCase(attributes, keep);
    else if (name === 'error') this.#errors++;
    else if (name === 'assemblies') this.#errors = 0;
  }

  text(piece: string): void {
    this.#case?.text(piece);
  }

  close(name: string): void {
    if (this.#case) {
      if (!this.#case.close()) return;
      this.#add(this.#case);
      this.#case = undefined;
    } else if (name === 'assembly' && this.#errors > 0) {
      this.#list.warn(`An assembly has ${this.#errors} errors outside of its tests, e.g. in a fixture.`);
      this.#errors = 0;
    }
  }

  #add(one: ElementCase): void {
    const said = one.attribute('result');
    const status = statuses.get(said);
    if (!status) {
      throw new FileFault(
        `A test has the result "${said.slice(0, 100)}", which is unknown, so nobody knows whether it passed.`,
      );
    }
    const type = one.attribute('type');
    const failure = messageWithTrace(one.textOf('failure/message'), one.textOf('failure/stack-trace'));
    const message = status === 'failed' ? failure : one.textOf('reason') || one.textOf('reason/message');
    const line = lineOf(one.attributes['source-line']);
    const traits = one.listOf('traits/trait').map(({ name = '', value = '' }) => [name, value] as const);
    const draft = caseOfDraft({
      suites: [type],
      ...shownAs(withoutType(one.attribute('name'), type)),
      status,
      attempts: [
        attemptOf(
          status,
          millisecondsOf(one.attributes['time']),
          undefined,
          status === 'passed' ? '' : message,
        ),
      ],
      file: one.attribute('source-file'),
      line,
      tags: traits.filter(([name]) => name === 'Category').map(([, value]) => value),
      properties: Object.fromEntries(traits.filter(([name]) => name !== 'Category')),
      attachments: one.listOf('attachments/attachment').map(({ name = '' }) => name),
      output: one.textOf('output'),
    });
    this.#list.add(draft, 'own');
  }
}

/** A display name may contain parentheses of its own; arguments are named. */
const shownAs = (name: string): NameParts => (/\(\w+: /.test(name) ? inParentheses(name) : { name });

export const xunit: ReportFormat = {
  kind: 'xml',
  name: 'xunit',
  title: 'xUnit.net',
  writtenBy: 'xUnit.net 1 to 3',
  roots: ['assemblies', 'assembly'],
  reader: (list) => new XunitReader(list),
};
