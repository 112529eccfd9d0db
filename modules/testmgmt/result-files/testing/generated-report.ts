/** `cases`: many in suites of a hundred; `pytest`: many in one suite, where names may recur; `output`: two with much output. */
export type ReportKind = 'cases' | 'pytest' | 'output';

const trace = '\tat com.acme.project.Something.method(Something.java:123)\n'.repeat(8);
const lines = 'INFO 2026-11-22 15:00:00 something happened &amp; was logged with "quotes" and äöü\n'.repeat(
  500,
);

const encoder = new TextEncoder();

/** JUnit XML of at least this many bytes, generated in pieces. */
export function* generatedReport(kind: ReportKind, bytes: number): Generator<Uint8Array> {
  yield encoder.encode('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n');
  if (kind === 'output') {
    for (const name of ['first', 'second']) yield* printingCase(name, bytes / 2);
  } else {
    if (kind === 'pytest') yield encoder.encode('<testsuite name="pytest">\n');
    let left = bytes;
    for (let suite = 0; left > 0; suite++) {
      const chunk = encoder.encode(suiteOf(kind, suite));
      left -= chunk.length;
      yield chunk;
    }
    if (kind === 'pytest') yield encoder.encode('</testsuite>\n');
  }
  yield encoder.encode('</testsuites>\n');
}

function* printingCase(name: string, bytes: number): Generator<Uint8Array> {
  yield encoder.encode(`<testsuite name="s"><testcase name="${name}"><system-out>`);
  const chunk = encoder.encode(lines);
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk;
  yield encoder.encode('</system-out></testcase></testsuite>\n');
}

function suiteOf(kind: ReportKind, suite: number): string {
  const name = `com.acme.project.module${suite % 97}.Suite${suite}Test`;
  const cases = Array.from({ length: 100 }, (_, index) => {
    const id = suite * 100 + index;
    const failure =
      index % 50 === 7
        ? `<failure message="expected ${id} but was ${id + 1}" type="java.lang.AssertionError">java.lang.AssertionError: expected ${id}\n${trace}</failure>`
        : '';
    return `  <testcase name="test that item number ${id} of the collection is handled as it should be in all of the cases we know" classname="${name}" time="0.${String(id % 1_000).padStart(3, '0')}" file="src/test/java/com/acme/project/Suite${suite}Test.java" line="${index + 1}">${failure}</testcase>\n`;
  }).join('');
  return kind === 'pytest'
    ? cases
    : `<testsuite name="${name}" tests="100" failures="2">\n${cases}</testsuite>\n`;
}
