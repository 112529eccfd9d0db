import type { CaseList } from './cases/case-list.ts';
import { FileFault } from './text/file-fault.ts';
import { GoTestReader } from './formats/go-test-reader.ts';
import { JsonFormat } from './json-format.ts';
import { JUnitReader } from './formats/junit-reader.ts';
import { NunitReader } from './formats/nunit-reader.ts';
import { TapReader } from './formats/tap-reader.ts';
import { TrxReader } from './formats/trx-reader.ts';
import { pageSentence } from './text/xml-cleaning.ts';
import { XmlReader, type XmlHandler } from './text/xml-reader.ts';
import { XunitReader } from './formats/xunit-reader.ts';

/** A reader of one format takes the text as it arrives and adds the cases to a list. */
export interface FormatReader {
  readonly format: string;
  /** @throws FileFault */
  write(piece: string): void;
  /** Yields where it may be interrupted. @throws FileFault */
  end(): Generator<void, void>;
}

/** Text by whose end the format shows. Some tools print other lines first. */
const headLength = 4_096;
const headLines = 200;
/** Space before the first text. */
const spaceLimit = 1_048_576;

/** The reader for the content of a file, and its whole text. @throws FileFault for a file of no known format. */
export async function readerOf(
  text: AsyncGenerator<string>,
  list: CaseList,
): Promise<{ readonly reader: FormatReader; readonly whole: AsyncIterable<string> }> {
  let head = '';
  while (head.trimStart().length < headLength && head.length < spaceLimit) {
    const next = await text.next();
    if (next.done) break;
    head += next.value;
  }
  async function* whole() {
    yield head;
    yield* text;
  }
  return { reader: formatOf(head, list), whole: whole() };
}

function formatOf(head: string, list: CaseList): FormatReader {
  const start = head.trimStart();
  if (start === '') throw new FileFault('It begins with nothing but space. The tool wrote no report.');
  const lines = head.split('\n', headLines);
  if (start.startsWith('<') && !isTapBehindLines(head, lines)) return new XmlFormat(list);
  if (lines.some((line) => /^\{"(?:Time|Action|ImportPath)":.*"Action":|^\{"Action":/.test(line)))
    return new GoTestReader(list);
  // No line of JSON can begin so: what stands before it was printed by the tests.
  if (lines.some(isTap)) return new TapReader(list);
  if (start.startsWith('{') || start.startsWith('[{') || /^\[\s*[\]{]/.test(start))
    return new JsonFormat(list);
  if (lines.some((line) => /^(?:=== RUN|--- (?:PASS|FAIL|SKIP): |(?:ok|FAIL)\s+\S+\s+[\d.]+s)/.test(line))) {
    throw new FileFault(
      'It is what `go test` prints for people. Use `go test -json`, or gotestsum --junitfile.',
    );
  }
  throw new FileFault(
    'It is in no format that is known here: JUnit XML, TRX, NUnit, xUnit.net, CTRF, Playwright, Allure, Cucumber, TAP or go test -json. Let the test tool write JUnit XML.',
  );
}

const isTap = (line: string): boolean =>
  /^(?:TAP version \d+|1\.\.\d+(?:\s|$)|(?:not )?ok (?:\d+|-)(?:\s|$))/.test(line);

/** Whether TAP follows lines that begin with "<", which the tests printed: a report in XML has its outermost element before any TAP. */
function isTapBehindLines(head: string, lines: readonly string[]): boolean {
  const first = lines.findIndex(isTap);
  if (first < 0 || /^\ufeff?\s*<(?:\?xml|!doctype|html)\b/i.test(head)) return false;
  const before = lines.slice(0, first).join('\n');
  return !Object.keys(byRoot).some((root) => before.includes(`<${root}`));
}

/** A format that knows a case only when it has read all has an end. */
type XmlFormatHandler = XmlHandler & { readonly format: string; end?(): Generator<void, void> };

const byRoot: Readonly<Record<string, new (list: CaseList) => XmlFormatHandler>> = {
  testsuites: JUnitReader,
  testsuite: JUnitReader,
  TestRun: TrxReader,
  'test-run': NunitReader,
  'test-results': NunitReader,
  // A part of a report: Unity and runners of plugins write it.
  'test-suite': NunitReader,
  assemblies: XunitReader,
  assembly: XunitReader,
};

/** XML whose outermost element decides. */
class XmlFormat implements FormatReader, XmlHandler {
  readonly #list: CaseList;
  readonly #reader = new XmlReader(this);
  #handler: XmlFormatHandler | undefined;

  constructor(list: CaseList) {
    this.#list = list;
  }

  get format(): string {
    return this.#handler?.format ?? 'xml';
  }

  write(piece: string): void {
    this.#reader.write(piece);
  }

  *end(): Generator<void, void> {
    this.#reader.end();
    yield* this.#handler?.end?.() ?? [];
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (!this.#handler) {
      if (name.toLowerCase() === 'html') throw new FileFault(pageSentence);
      const Handler = Object.hasOwn(byRoot, name) ? byRoot[name] : undefined;
      if (!Handler) {
        throw new FileFault(
          `Its outermost element is <${name.slice(0, 100)}>, which is that of no report known here (${Object.keys(byRoot).join(', ')}). Let the test tool write JUnit XML.`,
        );
      }
      this.#handler = new Handler(this.#list);
    }
    this.#handler.open(name, attributes);
  }

  text(piece: string): void {
    this.#handler?.text(piece);
  }

  close(name: string): void {
    this.#handler?.close(name);
  }
}
