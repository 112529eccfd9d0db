import { TextHead, TextTail, withoutTerminalCodes } from '../text/case-text.ts';
import { millisecondsOf, momentOf, statusOfWord } from '../cases/case-values.ts';
import { FileFault } from '../text/file-fault.ts';
import {
  attemptLimit,
  messageLimit,
  outputLimit,
  type ReportedAttempt,
  type ReportedStatus,
} from '../cases/reported-case.ts';
import { isFlaky } from '../cases/case-list.ts';

/** Most properties or attachments of one case. */
const listLimit = 100;
const valueLimit = 2_000;

/** Elements for the outcome of a case; Surefire's `flaky…` and `rerun…` elements are its other attempts. */
const outcomes: ReadonlyMap<string, 'failed' | 'skipped' | 'attempt'> = new Map([
  ['failure', 'failed'],
  ['error', 'failed'],
  ['skipped', 'skipped'],
  ['disabled', 'skipped'],
  ['flakyFailure', 'attempt'],
  ['flakyError', 'attempt'],
  ['rerunFailure', 'attempt'],
  ['rerunError', 'attempt'],
]);

/** Surefire repeats them inside each attempt. */
const printed = new Set(['system-out', 'system-err']);

interface Outcome {
  readonly is: 'failed' | 'skipped' | 'attempt';
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: TextHead;
}

/** The contents of the elements inside one `<testcase>`. */
export interface CaseContent {
  readonly status: ReportedStatus;
  readonly attempts: readonly ReportedAttempt[];
  /** Whether the file shows attempts of this case. */
  readonly flaky?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
  readonly attachments?: readonly string[];
  readonly output?: string;
}

/** Reads the content of one `<testcase>`. */
export class JUnitCase {
  readonly attributes: Readonly<Record<string, string>>;
  /** The kinds of its outcomes, including outcomes that are not kept. */
  readonly #kinds = new Set<Outcome['is']>();
  readonly #endings: Outcome[] = [];
  readonly #attempts: Outcome[] = [];
  #current: Outcome | undefined;
  /** `rerun…` occurs only in cases that failed in every attempt. */
  #reran = false;
  hasError = false;
  readonly #path: string[] = [];
  #output: TextTail | undefined;
  #line = '';
  #properties: Record<string, string> | undefined;
  #property: { readonly name: string; readonly value: TextHead; readonly isText: boolean } | undefined;
  #attachments: string[] | undefined;

  constructor(attributes: Readonly<Record<string, string>>) {
    this.attributes = attributes;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'testcase') throw new FileFault('A <testcase> stands inside another.');
    this.#path.push(name);
    const is = this.#path.length === 1 ? outcomes.get(name) : undefined;
    if (is) {
      if (name === 'error') this.hasError = true;
      if (name.startsWith('rerun')) this.#reran = true;
      this.#kinds.add(is);
      this.#current = { is, attributes, text: new TextHead(messageLimit) };
      // Of many attempts, the last ones are kept; of many failures, the first ones.
      const list = is === 'attempt' ? this.#attempts : this.#endings;
      if (is === 'attempt' || list.length < attemptLimit) list.push(this.#current);
      if (list.length > attemptLimit) list.shift();
    } else if (this.#isIn('properties', 'property')) {
      const value = new TextHead(valueLimit);
      value.add(attributes['value'] ?? '');
      const named = (attributes['name'] ?? '').slice(0, valueLimit);
      this.#property = { name: named, value, isText: !('value' in attributes) };
    }
  }

  text(piece: string): void {
    const [outer, inner] = this.#path;
    if (outer === undefined) return;
    if (this.#property) {
      if (this.#property.isText) this.#property.value.add(piece);
    } else if (printed.has(inner ?? outer)) this.#print(piece);
    else if (outcomes.has(outer) && (inner === undefined || inner === 'stackTrace')) {
      this.#current?.text.add(piece);
    }
  }

  close(): void {
    if (this.#property && this.#isIn('properties', 'property')) {
      this.#addProperty(this.#property.name, this.#property.value.text);
      this.#property = undefined;
    }
    this.#path.pop();
    if (this.#path.length === 0) this.#line = '';
  }

  content(): CaseContent {
    const status = this.#status();
    const attempts = this.#attemptsOf(status);
    const output = withoutTerminalCodes(this.#output?.text ?? '')
      .replaceAll(attachment, '')
      .trim();
    return {
      status,
      attempts,
      ...(this.#kinds.has('attempt') && { flaky: isFlaky(status, attempts) }),
      ...(this.#properties && { properties: this.#properties }),
      ...(this.#attachments && { attachments: this.#attachments }),
      ...(output !== '' && { output }),
    };
  }

  /** A case that is both skipped and failed was expected to fail (`todo` of node, `mayfail` of Catch2): the tool counts it as skipped. */
  #status(): ReportedStatus {
    if (this.#kinds.has('skipped')) return 'skipped';
    if (this.#kinds.has('failed') || this.#reran) return 'failed';
    let found: ReportedStatus = 'passed';
    for (const attribute of ['status', 'result']) {
      const word = this.attributes[attribute];
      if (word === undefined || word === '') continue;
      const status = statusOfWord(word.slice(0, 100));
      if (!status) {
        throw new FileFault(
          `A case has the ${attribute} "${word.slice(0, 100)}", which is unknown, so nobody knows whether it passed.`,
        );
      }
      if (found === 'passed') found = status;
    }
    return found;
  }

  #attemptsOf(status: ReportedStatus): readonly ReportedAttempt[] {
    const durationMs = millisecondsOf(this.attributes['time'] ?? this.attributes['duration']);
    const startedAt = momentOf(this.attributes['timestamp']);
    const ending = this.#endings.filter(({ is }) => is === status);
    const message = ending.map(messageOf).filter(Boolean).join('\n\n').slice(0, messageLimit);
    const counted: ReportedAttempt = {
      status,
      ...(durationMs !== undefined && { durationMs }),
      ...(startedAt !== undefined && { startedAt }),
      ...(message && { message }),
    };
    const others = this.#attempts.map(attemptOf);
    // Surefire: <failure> is the first run, followed by the reruns; in a flaky case the passed run is the last.
    return (status === 'failed' ? [counted, ...others] : [...others, counted]).slice(-attemptLimit);
  }

  #isIn(...path: readonly string[]): boolean {
    return this.#path.length === path.length && path.every((name, index) => this.#path[index] === name);
  }

  #addProperty(name: string, value: string): void {
    if (name === '' || name === '__proto__') return;
    this.#properties ??= {};
    if (Object.keys(this.#properties).length < listLimit) this.#properties[name] = value;
  }

  /** Keeps the end of the output, and the attachments that are named in it (a convention of Jenkins that Playwright follows). */
  #print(piece: string): void {
    this.#output ??= new TextTail(outputLimit);
    this.#output.add(piece);
    const text = this.#line + piece;
    const begun = text.lastIndexOf('[[');
    const isOpen = begun >= 0 && !text.includes(']]', begun);
    this.#line = isOpen ? text.slice(begun, begun + 1_100) : text.endsWith('[') ? '[' : '';
    if (begun < 0) return;
    for (const [, path = ''] of text.matchAll(attachment)) {
      this.#attachments ??= [];
      if (this.#attachments.length < listLimit) this.#attachments.push(path.trim());
    }
  }
}

const attachment = /\[\[ATTACHMENT\|([^\]\n]{1,1000})\]\]/g;

function attemptOf(outcome: Outcome): ReportedAttempt {
  const message = messageOf(outcome);
  const durationMs = millisecondsOf(outcome.attributes['time']);
  const startedAt = momentOf(outcome.attributes['timestamp']);
  return {
    status: 'failed',
    ...(durationMs !== undefined && { durationMs }),
    ...(startedAt !== undefined && { startedAt }),
    ...(message && { message }),
  };
}

/**
 * The message followed by the text; the text alone if it begins with the message. Lists show the first line only, so it must say what
 * failed: pytest's text begins with the source of the test, and PHPUnit's with its name.
 */
function messageOf({ attributes, text: { text } }: Outcome): string {
  const said = (attributes['message'] ?? '').slice(0, messageLimit).trim();
  const trace = text.trim();
  const begins = oneLine(firstLine(trace)).includes(oneLine(firstLine(said)));
  const whole =
    said === ''
      ? withoutOwnName(trace) || (attributes['type'] ?? '')
      : begins && oneLine(trace).includes(oneLine(said))
        ? trace
        : `${said}\n${trace}`;
  return withoutTerminalCodes(whole.trim()).slice(0, messageLimit);
}

function withoutOwnName(trace: string): string {
  const first = firstLine(trace);
  const isName = first.length < 1_000 && /^[\w\\]+::\w+(?: with data set .*)?$/.test(first);
  return isName && trace.length > first.length ? trace.slice(first.length).trim() : trace;
}

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n') >>> 0);
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
