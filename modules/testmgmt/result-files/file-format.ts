import type { CaseList } from './cases/case-list.ts';
import type { ElementReader, ReportFormat, TextReader } from './formats/report-format.ts';
import { reportFormats } from './report-formats.ts';
import { FileFault } from './text/file-fault.ts';
import { JsonDocument, jsonLimit } from './text/json-document.ts';
import { isList } from './text/json-values.ts';
import { pageSentence } from './text/xml-cleaning.ts';
import { XmlReader } from './text/xml-reader.ts';

/** Reads a file. For XML and JSON, the format is known only at the end. */
interface FileReader extends TextReader {
  readonly format: string;
}

type Kind = ReportFormat['kind'];
const ofKind = <K extends Kind>(kind: K) =>
  reportFormats.filter((format): format is Extract<ReportFormat, { kind: K }> => format.kind === kind);

const [xmlFormats, jsonFormats, lineFormats] = [ofKind('xml'), ofKind('json'), ofKind('lines')];

const titlesOf = (formats: readonly ReportFormat[]): string => {
  const titles = formats.map(({ title }) => title);
  return `${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}`;
};

/** The amount of text within which the format is detected. Some tools print other lines first. */
const headLength = 4_096;
const headLines = 200;
/** Most white space before the first text. */
const spaceLimit = 1_048_576;

/** The reader for the content of a file, and its whole text. @throws FileFault for a file of unknown format. */
export async function readerOf(
  text: AsyncGenerator<string>,
  list: CaseList,
): Promise<{ readonly reader: FileReader; readonly whole: AsyncIterable<string> }> {
  // Kept as they came, so that a test with small chunks has them at the beginning of a file, too.
  const pieces: string[] = [];
  let head = '';
  while (head.trimStart().length < headLength && head.length < spaceLimit) {
    const next = await text.next();
    if (next.done) break;
    head += next.value;
    pieces.push(next.value);
  }
  async function* whole() {
    yield* pieces;
    yield* text;
  }
  return { reader: formatOf(head, list), whole: whole() };
}

function formatOf(head: string, list: CaseList): FileReader {
  const start = head.trimStart();
  if (start === '') throw new FileFault('It begins with nothing but space. The tool wrote no report.');
  const lines = head.split('\n', headLines);
  if (start.startsWith('<') && !isBehindMarkup(head, lines)) return new XmlReport(list);
  // No line of JSON can begin like one of these, so the lines before it were printed by the tests.
  const format = lineFormats.find(({ isLine }) => lines.some(isLine));
  if (format) return Object.assign(format.reader(list), { format: format.name });
  if (start.startsWith('{') || start.startsWith('[{') || /^\[\s*[\]{]/.test(start))
    return new JsonReport(list);
  if (lines.some((line) => /^(?:=== RUN|--- (?:PASS|FAIL|SKIP): |(?:ok|FAIL)\s+\S+\s+[\d.]+s)/.test(line))) {
    throw new FileFault(
      'It is what `go test` prints for people. Use `go test -json`, or gotestsum --junitfile.',
    );
  }
  throw new FileFault(
    `It is in no format that is known here: ${titlesOf(reportFormats)}. Let the test tool write JUnit XML.`,
  );
}

const xmlRoots = xmlFormats.flatMap(({ roots }) => roots);

/** Whether lines of a report follow lines beginning with "<" that the tests printed: an XML report has its root element before them. */
function isBehindMarkup(head: string, lines: readonly string[]): boolean {
  const first = lines.findIndex((line) =>
    lineFormats.some(({ followsMarkup, isLine }) => followsMarkup && isLine(line)),
  );
  if (first < 0 || /^\ufeff?\s*<(?:\?xml|!doctype|html)\b/i.test(head)) return false;
  const before = lines.slice(0, first).join('\n');
  return !xmlRoots.some((root) => before.includes(`<${root}`));
}

/** XML, whose root element determines the format. */
class XmlReport implements FileReader {
  readonly #list: CaseList;
  readonly #reader = new XmlReader((root) => (this.#elements = this.#readerFor(root)));
  #elements: ElementReader | undefined;
  format = 'xml';

  constructor(list: CaseList) {
    this.#list = list;
  }

  write(piece: string): void {
    this.#reader.write(piece);
  }

  *end(): Generator<void, void> {
    this.#reader.end();
    yield* this.#elements?.end?.() ?? [];
  }

  #readerFor(root: string): ElementReader {
    if (root.toLowerCase() === 'html') throw new FileFault(pageSentence);
    const format = xmlFormats.find(({ roots }) => roots.includes(root));
    if (!format) {
      throw new FileFault(
        `Its outermost element is <${root.slice(0, 100)}>, which is that of no report known here (${xmlRoots.join(', ')}). Let the test tool write JUnit XML.`,
      );
    }
    this.format = format.name;
    return format.reader(this.#list);
  }
}

/** JSON, whose whole content determines the format. */
class JsonReport implements FileReader {
  readonly #list: CaseList;
  readonly #document = new JsonDocument();
  #length = 0;
  format = 'json';

  constructor(list: CaseList) {
    this.#list = list;
  }

  write(piece: string): void {
    this.#length += piece.length;
    if (this.#length > jsonLimit) {
      throw new FileFault(
        `It has more than ${jsonLimit / 1_048_576} MiB, the limit for JSON. Upload it in parts, or let the tool write JUnit XML.`,
      );
    }
    this.#document.write(piece);
  }

  *end(): Generator<void, void> {
    this.#document.end();
    const { roots } = this.#document;
    const whole = roots.length === 1 ? roots[0] : roots;
    for (const { name, cases } of jsonFormats) {
      const found = cases(whole, this.#list);
      if (!found) continue;
      this.format = name;
      return yield* found;
    }
    throw new FileFault(
      isList(whole) && whole.some((message) => 'gherkinDocument' in message || 'testCaseStarted' in message)
        ? 'It has the messages of Cucumber, which are not read. Use its formatter "json" or "junit".'
        : `It is JSON, but in no form that is known here: ${titlesOf(jsonFormats)}. Let the test tool write JUnit XML.`,
    );
  }
}
