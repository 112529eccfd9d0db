import type { CaseList } from '../cases/case-list.ts';
import { momentOf } from '../cases/case-values.ts';
import { FileFault } from '../text/file-fault.ts';
import { JUnitCase, type CaseContent } from './junit-case.ts';
import { dialectOf, type CaseElement, type JUnitDialect, type SuiteElement } from './junit-dialects.ts';
import { nameLimit, type ReportedCase } from '../cases/reported-case.ts';
import type { XmlHandler } from '../text/xml-reader.ts';
import type { ReportFormat } from './report-format.ts';

/** An open suite, with the counts read so far. */
interface OpenSuite extends SuiteElement {
  failed: number;
  /** The number of cases with an `<error>`. */
  errors: number;
}

/** Reads JUnit XML. The dialect is determined at the first case: every tool writes a whole file in one form. */
class JUnitReader implements XmlHandler {
  readonly #list: CaseList;
  readonly #suites: OpenSuite[] = [];
  readonly #path: string[] = [];
  #dialect: JUnitDialect | undefined;
  #case: JUnitCase | undefined;
  /** The number of open elements inside the case. */
  #inside = 0;

  constructor(list: CaseList) {
    this.#list = list;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#case) {
      this.#inside++;
      this.#case.open(name, attributes);
      return;
    }
    const parent = this.#path.at(-1);
    this.#path.push(name);
    if (name === 'testsuites' || name === 'testsuite') {
      if (parent === undefined || parent === 'testsuites' || parent === 'testsuite') {
        refuseLongName(attributes['name'] ?? '');
        this.#suites.push({ element: name, attributes: ownAttributes(attributes), failed: 0, errors: 0 });
      }
    } else if (name === 'testcase') {
      if (parent !== 'testsuite' && parent !== 'testsuites') {
        throw new FileFault(`A <testcase> stands inside <${parent ?? 'nothing'}>, not inside a <testsuite>.`);
      }
      this.#case = new JUnitCase(attributes);
      this.#inside = 0;
    }
  }

  text(piece: string): void {
    this.#case?.text(piece);
  }

  close(name: string): void {
    if (this.#case && this.#inside > 0) {
      this.#inside--;
      this.#case.close();
      return;
    }
    this.#path.pop();
    if (this.#case) {
      this.#add(this.#case);
      this.#case = undefined;
    } else if (name === 'testsuite' || name === 'testsuites') {
      const suite = this.#suites.pop();
      if (suite) this.#closed(suite);
    }
  }

  #add(one: JUnitCase): void {
    const { attributes } = one;
    for (const part of ['name', 'classname']) refuseLongName(attributes[part] ?? '');
    this.#dialect ??= dialectOf(this.#suites, attributes);
    const dialect = this.#dialect;
    const element: CaseElement = {
      suites: this.#suites,
      name: attributes['name'] ?? '',
      classname: attributes['classname'] ?? '',
      attributes,
    };
    const content = begunWith(this.#suites, decided(one.content(), element, dialect));
    const place = dialect.place(element);
    this.#list.add(caseOf(place, content, dialect), dialect.repeated);
    for (const suite of this.#suites) {
      if (one.hasError) suite.errors++;
      if (content.status === 'failed' || content.attempts.length > 1) suite.failed++;
    }
  }

  /** Handles a header that counts failures where no case has one: a broken set-up or a failed build. */
  #closed({ element, attributes, failed, errors: ofCases }: OpenSuite): void {
    const errors = Number(attributes['errors']) || 0;
    if (element === 'testsuites') {
      if (this.#dialect?.countsBuilds === true && errors > ofCases) {
        this.#list.warn(
          `It counts ${errors - ofCases} errors outside of tests, e.g. a package that did not build: tests are missing.`,
        );
      }
      return;
    }
    const counted = (Number(attributes['failures']) || 0) + errors;
    if (counted <= 0 || failed > 0) return;
    const name = (attributes['name'] ?? '').slice(0, 200);
    this.#list.warn(
      `The suite "${name}" counts ${counted} failures, but none of its cases failed: its set-up may have broken, and tests may be missing.`,
    );
  }
}

/**
 * The first attempt began no earlier than its suite. Most tools give a time only for the suite, many without a zone, which is then read as
 * UTC: it orders the attempts of several uploads, for which any clock of the build is sufficient.
 */
function begunWith(suites: readonly OpenSuite[], content: CaseContent): CaseContent {
  const [first, ...later] = content.attempts;
  if (!first || content.attempts.some(({ startedAt }) => startedAt !== undefined)) return content;
  for (const { attributes } of suites.toReversed()) {
    const said = attributes['timestamp'];
    const startedAt = momentOf(said) ?? momentOf(`${said}Z`);
    // Jest writes 1970 for a suite that did not begin.
    if (startedAt !== undefined && startedAt > 0)
      return { ...content, attempts: [{ ...first, startedAt }, ...later] };
  }
  return content;
}

/** Checked before the name is split, because the rules for names take time with their length. */
function refuseLongName(name: string): void {
  if (name.length > nameLimit) {
    throw new FileFault(`A name has ${name.length} characters; the limit is ${nameLimit}.`);
  }
}

/** Corrects the status where the file marks a case as skipped that the tool itself counts as failed. */
function decided(content: CaseContent, one: CaseElement, { failed }: JUnitDialect): CaseContent {
  const last = content.attempts.at(-1);
  if (content.status !== 'skipped' || last?.status !== 'skipped' || failed?.(one, last.message) !== true)
    return content;
  return {
    ...content,
    status: 'failed',
    attempts: [...content.attempts.slice(0, -1), { ...last, status: 'failed' }],
  };
}

type Place = ReturnType<JUnitDialect['place']>;

function caseOf(place: Place, content: CaseContent, { showsRetries }: JUnitDialect): ReportedCase {
  const { suites, name, parameters, variant, file, line } = place;
  return {
    suites,
    name: name,
    ...(parameters !== undefined && { parameters: parameters }),
    ...(variant !== undefined && { variant: variant }),
    ...(showsRetries === true && { flaky: false }),
    ...content,
    ...(file !== undefined && { file: file }),
    ...(line !== undefined && { line }),
  };
}

const ownAttributes = (attributes: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, value]));

export const junit: ReportFormat = {
  kind: 'xml',
  name: 'junit',
  title: 'JUnit XML',
  writtenBy: 'pytest, Surefire, Gradle, jest, vitest, bun, node, PHPUnit, gotestsum, nextest and most others',
  roots: ['testsuites', 'testsuite'],
  reader: (list) => new JUnitReader(list),
};
