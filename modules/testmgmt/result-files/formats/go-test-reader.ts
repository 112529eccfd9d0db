import type { CaseList } from '../cases/case-list.ts';
import { ownText, TextHead, TextTail, withoutTerminalCodes } from '../text/case-text.ts';
import { rounded } from '../cases/case-values.ts';
import { LineReader } from '../text/line-reader.ts';
import {
  messageLimit,
  outputLimit,
  type ReportedAttempt,
  type ReportedStatus,
} from '../cases/reported-case.ts';
import type { ReportFormat, TextReader } from './report-format.ts';

/** A test that has started but not ended. */
interface Running {
  readonly startedAt: number | undefined;
  readonly head: TextHead;
  readonly tail: TextTail;
}

/** One start of the tests of a package. */
interface Package {
  readonly running: Map<string, Running>;
  /** The number of its failed tests. */
  failed: number;
  /** The tests that ended in it: with -count a test runs more than once, and fails if any run fails. */
  readonly ended: Set<string>;
  readonly text: TextHead;
}

const endings: ReadonlyMap<unknown, ReportedStatus> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
]);

/**
 * Reads the lines of `go test -json` (https://pkg.go.dev/cmd/test2json), also of several consecutive runs, as gotestsum writes them with
 * --rerun-fails. Lines that are not JSON come from the go command itself.
 */
class GoTestReader implements TextReader {
  readonly #list: CaseList;
  readonly #lines = new LineReader();
  readonly #packages = new Map<string, Package>();
  /** Lines that begin like an event but are none: the numbers of the first and the last. */
  #broken: { readonly first: number; last: number } | undefined;

  constructor(list: CaseList) {
    this.#list = list;
  }

  write(piece: string): void {
    for (const line of this.#lines.lines(piece)) this.#take(line);
  }

  *end(): Generator<void, void> {
    for (const line of this.#lines.rest()) this.#take(line);
    const { first, last } = this.#broken ?? { first: 0, last: 0 };
    if (last > 0 && last === this.#lines.number)
      this.#list.warn(`Its last line (${last}) was cut off: tests may be missing.`);
    if (last > first || (last > 0 && last !== this.#lines.number))
      this.#list.warn(`Line ${first} is no event of go test; such lines were left out.`);
    for (const [name, { running }] of this.#packages) {
      this.#list.warn(
        running.size > 0
          ? `The tests of ${name} did not end: the output was cut off.`
          : `The package ${name} did not end: the output was cut off, and tests may be missing.`,
      );
      this.#endRunning(name);
      yield;
    }
  }

  #take(line: string): void {
    if (!line.startsWith('{')) {
      const broken = /^FAIL\s+(\S+)\s+\[([\w ]+ failed)\]/.exec(line);
      if (broken) this.#list.warn(`${broken[1]}: ${broken[2]}, so none of its tests ran.`);
      return;
    }
    const event = eventOf(line);
    if (!event) {
      this.#broken ??= { first: this.#lines.number, last: 0 };
      this.#broken.last = this.#lines.number;
      return;
    }
    const { Action: action, Package: name, Test: test } = event;
    if (typeof name !== 'string' || typeof action !== 'string') return;
    if (typeof test === 'string' && test !== '') this.#test(name, test, action, event);
    else this.#package(name, action, event);
  }

  #test(name: string, test: string, action: string, event: GoEvent): void {
    const { running } = this.#packageOf(name);
    if (action === 'run') {
      const began = typeof event.Time === 'string' ? Date.parse(event.Time) : Number.NaN;
      running.set(test, {
        startedAt: Number.isNaN(began) ? undefined : began,
        head: new TextHead(messageLimit),
        tail: new TextTail(outputLimit),
      });
    } else if (action === 'output' && typeof event.Output === 'string') {
      // The framework's own output repeats what the events say.
      if (/^(?:=== (?:RUN|PAUSE|CONT|NAME)|\s*--- (?:PASS|FAIL|SKIP))/.test(event.Output)) return;
      const text = withoutTerminalCodes(event.Output);
      running.get(test)?.head.add(text);
      running.get(test)?.tail.add(text);
    } else {
      const status = endings.get(action);
      if (status)
        this.#ended(name, test, status, typeof event.Elapsed === 'number' ? event.Elapsed : undefined);
    }
  }

  #package(name: string, action: string, { Output: output }: GoEvent): void {
    const known = this.#packageOf(name);
    if (action === 'output' && typeof output === 'string') known.text.add(output);
    const status = endings.get(action);
    if (!status) return;
    this.#endRunning(name);
    if (status === 'failed' && known.failed === 0) {
      const reason = /\[(build failed|setup failed)\]/.exec(known.text.text)?.[1];
      this.#list.warn(
        reason === undefined
          ? `The package ${name} failed, but none of its tests did: it may have ended early, and tests may be missing.`
          : `${name}: ${reason}, so none of its tests ran.`,
      );
    }
    // A later run of the package is the next attempt.
    this.#packages.delete(name);
  }

  /** A test that did not end also ended its package: os.Exit, a crash, a time limit. */
  #endRunning(name: string): void {
    for (const test of this.#packageOf(name).running.keys()) this.#ended(name, test, 'failed', undefined);
  }

  #ended(name: string, test: string, status: ReportedStatus, elapsed: number | undefined): void {
    const known = this.#packageOf(name);
    const running = known.running.get(test);
    known.running.delete(test);
    if (status === 'failed') known.failed++;
    const said = running?.head.text.trim() ?? '';
    const message = elapsed === undefined && status === 'failed' ? `It did not end.\n${said}`.trim() : said;
    const attempt: ReportedAttempt = {
      status,
      ...(elapsed !== undefined && { durationMs: rounded(elapsed * 1_000) }),
      ...(running?.startedAt !== undefined && { startedAt: running.startedAt }),
      ...(message && status !== 'passed' && { message }),
    };
    const output = running?.tail.text.trim() ?? '';
    this.#list.add(
      {
        suites: [name],
        name: test,
        status,
        flaky: false,
        attempts: [attempt],
        ...(output && output !== attempt.message && { output }),
      },
      known.ended.has(test) ? 'same' : 'retry',
    );
    known.ended.add(ownText(test));
  }

  #packageOf(name: string): Package {
    const known = this.#packages.get(name);
    if (known) return known;
    const made = {
      running: new Map<string, Running>(),
      failed: 0,
      ended: new Set<string>(),
      text: new TextHead(messageLimit),
    };
    this.#packages.set(ownText(name), made);
    return made;
  }
}

interface GoEvent {
  readonly Time?: unknown;
  readonly Action?: unknown;
  readonly Package?: unknown;
  readonly Test?: unknown;
  readonly Output?: unknown;
  readonly Elapsed?: unknown;
}

function eventOf(line: string): GoEvent | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return typeof event === 'object' && event !== null ? event : undefined;
  } catch {
    return undefined;
  }
}

export const goTest: ReportFormat = {
  kind: 'lines',
  name: 'go-test',
  title: 'go test -json',
  writtenBy: '`go test -json`, `gotestsum --jsonfile`',
  isLine: (line) => /^\{"(?:Time|Action|ImportPath)":.*"Action":|^\{"Action":/.test(line),
  followsMarkup: false,
  reader: (list) => new GoTestReader(list),
};
