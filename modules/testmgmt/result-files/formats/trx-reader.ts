import { inParentheses } from '../cases/case-parameters.ts';
import type { CaseList } from '../cases/case-list.ts';
import { TextHead } from '../text/case-text.ts';
import { momentOf } from '../cases/case-values.ts';
import { ElementCase, withoutType, type KeptElements } from './element-case.ts';
import { FileFault } from '../text/file-fault.ts';
import { attemptOf, caseOfDraft, messageWithTrace, type CaseDraft } from '../cases/case-draft.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';
import type { XmlHandler } from '../text/xml-reader.ts';
import type { ReportFormat } from './report-format.ts';

/** Outcomes of vstst.xsd. The first one is omitted in files. */
const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ['', 'failed'],
  ['Error', 'failed'],
  ['Failed', 'failed'],
  ['Timeout', 'failed'],
  ['Aborted', 'failed'],
  ['Disconnected', 'failed'],
  ['InProgress', 'failed'],
  ['NotRunnable', 'failed'],
  ['PassedButRunAborted', 'passed'],
  ['Passed', 'passed'],
  ['Completed', 'passed'],
  ['Warning', 'passed'],
  ['NotExecuted', 'skipped'],
  ['Inconclusive', 'skipped'],
  ['Pending', 'skipped'],
]);

const keep: KeptElements = {
  heads: new Set(['Output/ErrorInfo/Message', 'Output/ErrorInfo/StackTrace']),
  tails: new Set(['Output/StdOut', 'Output/StdErr']),
  listed: new Set(['ResultFiles/ResultFile']),
};

/** The definition of a test, which may precede or follow its results. */
interface Definition {
  type: string;
  readonly tags: string[];
}

/** TRX, the results of `dotnet test` and MSTest. */
class TrxReader implements XmlHandler {
  readonly #list: CaseList;
  readonly #path: string[] = [];
  /** Open results: a result with inner results contains others. */
  readonly #cases: Array<{ readonly one: ElementCase; hasInner: boolean }> = [];
  readonly #results: Array<{ readonly testId: string; readonly draft: CaseDraft }> = [];
  readonly #definitions = new Map<string, Definition>();
  readonly #types = new Map<string, string>();
  #definition: Definition | undefined;
  #runText: TextHead | undefined;

  constructor(list: CaseList) {
    this.#list = list;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const inner = this.#cases.at(-1);
    this.#path.push(name);
    if (name.endsWith('TestResult') || (name === 'TestResultAggregation' && !inner)) {
      if (inner) inner.hasInner = true;
      this.#cases.push({ one: new ElementCase(attributes, keep), hasInner: false });
    } else if (inner) inner.one.open(name, attributes);
    else if (this.#path.at(-2) === 'TestDefinitions') {
      this.#definition = { type: '', tags: [] };
      this.#definitions.set(attributes['id'] ?? '', this.#definition);
    } else if (this.#definition) define(this.#definition, name, attributes, this.#types);
    else if (name === 'Text' && this.#path.at(-2) === 'RunInfo') this.#runText = new TextHead(500);
  }

  text(piece: string): void {
    this.#cases.at(-1)?.one.text(piece);
    this.#runText?.add(piece);
  }

  close(name: string): void {
    this.#path.pop();
    const inner = this.#cases.at(-1);
    if (inner) {
      if (!inner.one.close()) return;
      this.#cases.pop();
      if (!inner.hasInner)
        this.#results.push({ testId: inner.one.attribute('testId'), draft: draftOf(inner.one) });
    } else if (this.#path.at(-1) === 'TestDefinitions') this.#definition = undefined;
    else if (this.#runText && name === 'Text') {
      const said = this.#runText.text.trim();
      // The cases already say this.
      if (!/\[(?:FAIL|SKIP)\]$|^Exit code indicates/.test(said)) this.#list.warn(`The run says: ${said}`);
      this.#runText = undefined;
    }
  }

  *end(): Generator<void, void> {
    for (const { testId, draft } of this.#results) {
      const { type = '', tags = [] } = this.#definitions.get(testId) ?? {};
      const place = inParentheses(withoutType(draft.name, type));
      this.#list.add(caseOfDraft({ ...draft, ...place, suites: [type], tags }), 'own');
      yield;
    }
  }
}

function define(
  definition: Definition,
  name: string,
  attributes: Readonly<Record<string, string>>,
  types: Map<string, string>,
): void {
  if (name === 'TestMethod') {
    // MSTest formerly appended the assembly.
    const type = (attributes['className'] ?? '').split(',', 1)[0] ?? '';
    const known = types.get(type) ?? type;
    types.set(known, known);
    definition.type = known;
  } else if (name === 'TestCategoryItem' && definition.tags.length < 100) {
    definition.tags.push(attributes['TestCategory'] ?? '');
  }
}

function draftOf(one: ElementCase): CaseDraft {
  const said = one.attribute('outcome');
  const status = statuses.get(said);
  if (!status) {
    throw new FileFault(
      `A result has the outcome "${said.slice(0, 100)}", which is unknown, so nobody knows whether it passed.`,
    );
  }
  const message = messageWithTrace(
    one.textOf('Output/ErrorInfo/Message'),
    one.textOf('Output/ErrorInfo/StackTrace'),
  );
  const output = [one.textOf('Output/StdOut'), one.textOf('Output/StdErr')].filter(Boolean).join('\n');
  return {
    suites: [],
    name: one.attribute('testName'),
    status,
    attempts: [
      attemptOf(
        status,
        timeSpan(one.attributes['duration']),
        momentOf(one.attributes['startTime']),
        status === 'passed' ? '' : message || (status === 'failed' ? said : ''),
      ),
    ],
    attachments: one.listOf('ResultFiles/ResultFile').map(({ path = '' }) => path),
    output,
  };
}

/** Milliseconds from `00:00:01.2345678`. */
function timeSpan(text: string | undefined): number | undefined {
  const found = /^(?:(\d+)\.)?(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  if (!found) return undefined;
  const [, days = '0', hours, minutes, seconds] = found;
  return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

export const trx: ReportFormat = {
  kind: 'xml',
  name: 'trx',
  title: 'TRX',
  writtenBy: '`dotnet test --logger trx`, MSTest',
  roots: ['TestRun'],
  reader: (list) => new TrxReader(list),
};
