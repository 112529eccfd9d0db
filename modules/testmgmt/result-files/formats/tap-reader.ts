import { counted } from '../../../../core/base/counted-noun.ts';
import type { CaseList } from '../cases/case-list.ts';
import { TextHead, withoutTerminalCodes } from '../text/case-text.ts';
import { lineOf, millisecondsOf, rounded } from '../cases/case-values.ts';
import { LineReader } from '../text/line-reader.ts';
import { messageLimit, type ReportedAttempt, type ReportedCase } from '../cases/reported-case.ts';
import { tapLine, type TapLine, type TapPoint } from './tap-line.ts';
import type { ReportFormat, TextReader } from './report-format.ts';

/** Test points with the same indent. The point of their suite follows them, or precedes them with "{" at its end. */
interface Level {
  readonly indent: number;
  parent: Level | undefined;
  name: string | undefined;
  /** The point that opened this level with "{". */
  readonly opener: Leaf | undefined;
  failed: boolean;
}

interface Leaf {
  readonly point: TapPoint;
  readonly level: Level;
  /** The text after the point: a YAML block, comments. */
  text: TextHead | undefined;
}

/** Reads TAP 13 and 14. The leaves are the cases: the point of a suite only sums up the points below it. */
class TapReader implements TextReader {
  readonly #list: CaseList;
  readonly #lines = new LineReader();
  readonly #leaves: Leaf[] = [];
  #level: Level = { indent: 0, parent: undefined, name: undefined, opener: undefined, failed: false };
  #last: Leaf | undefined;
  /** The indent of the open YAML block. */
  #yaml: number | undefined;
  #planned = 0;
  #hasPlan = false;
  #isEnded = false;
  #ran = 0;

  constructor(list: CaseList) {
    this.#list = list;
  }

  write(piece: string): void {
    for (const line of this.#lines.lines(piece)) this.#take(line);
  }

  *end(): Generator<void, void> {
    for (const line of this.#lines.rest()) this.#take(line);
    this.#leaveTo(0);
    if (this.#planned > this.#ran) {
      this.#list.warn(
        `It planned ${counted(this.#planned, 'test')}, but ${this.#ran} ran: the others are missing.`,
      );
    } else if (!this.#hasPlan && !this.#isEnded) {
      this.#list.warn('It has no plan (1..N): it may have been cut off, and tests may be missing.');
    } else if (this.#hasPlan && this.#ran > this.#planned) {
      this.#list.warn(`It planned ${counted(this.#planned, 'test')}, but ${this.#ran} ran.`);
    }
    for (const leaf of this.#leaves) {
      this.#list.add(caseOf(leaf), 'own');
      yield;
    }
  }

  /** Adds complete leaves: when all were kept, three million points took 1 GB before the limit of cases applied. */
  #addComplete(): void {
    for (const leaf of this.#leaves) this.#list.add(caseOf(leaf), 'own');
    this.#leaves.length = 0;
  }

  #take(line: string): void {
    const read = tapLine(line);
    if (this.#yaml !== undefined && this.#isYaml(line, read)) return;
    if (read.is === 'point') this.#point(read);
    else if (read.is === 'plan') this.#plan(read.tests, read.indent);
    else if (read.is === 'comment') this.#comment(read.text, read.indent);
    else if (read.is === 'close') this.#leaveTo(read.indent);
    else if (read.is === 'yaml' && this.#last && read.indent > this.#last.point.indent) {
      this.#yaml = read.indent;
      this.#last.text ??= new TextHead(messageLimit);
    } else if (read.is === 'bail') {
      this.#isEnded = true;
      const reason = read.reason ? `: ${read.reason.slice(0, 500)}` : '';
      this.#list.warn(`The run was ended early${reason}. Tests may be missing.`);
    }
  }

  /** Adds the line to the open block. Broken YAML may lack an end, so a less indented point ends it too. */
  #isYaml(line: string, read: TapLine): boolean {
    const indent = this.#yaml ?? 0;
    const ended = line.trim() === '...';
    if (ended || (read.is === 'point' && read.indent < indent)) {
      this.#yaml = undefined;
      return ended;
    }
    this.#last?.text?.add(`${line.slice(0, indent).trim() === '' ? line.slice(indent) : line}\n`);
    return true;
  }

  #plan(tests: number, indent: number): void {
    this.#enter(indent);
    if (indent > 0) return;
    this.#planned += tests;
    this.#hasPlan = true;
  }

  #comment(text: string, indent: number): void {
    const last = this.#last;
    if (last?.point.status !== 'failed' || indent < last.point.indent || text.startsWith('Subtest')) return;
    last.text ??= new TextHead(messageLimit);
    last.text.add(`${text}\n`);
  }

  #point(point: TapPoint): void {
    this.#enter(point.indent);
    if (point.indent === 0) this.#ran++;
    const below = this.#leaveTo(point.indent);
    // Where a suite contains only suites, its own level begins with the point of the first one.
    this.#enter(point.indent);
    if (below) below.parent = this.#level;
    const failed = point.status === 'failed';
    if (below) below.name = point.name;
    // All suites above the earlier leaves have their names now. The last point may still open a suite, or be the point of one.
    if (point.indent === 0) this.#addComplete();
    // A suite that failed although nothing below it failed is a case of its own: its set-up broke.
    const isLeaf = !below || (failed && !below.failed);
    if (failed) this.#level.failed = true;
    this.#last = { point, level: this.#level, text: undefined };
    if (isLeaf) this.#leaves.push(this.#last);
  }

  /** Begins a level at a line with a deeper indent than the last one. */
  #enter(indent: number): void {
    if (indent <= this.#level.indent) return;
    const last = this.#leaves.at(-1);
    const opens = last?.point.opens === true && last === this.#last && last.point.indent < indent;
    const opener = opens
      ? { ...last, point: { ...last.point, name: last.point.name.replace(/\{$/, '').trimEnd() } }
      : undefined;
    if (opener) this.#leaves.pop();
    this.#level = { indent, parent: this.#level, name: opener?.point.name, opener, failed: false };
  }

  /** Ends the deeper levels. @returns the level among them whose point comes next. */
  #leaveTo(indent: number): Level | undefined {
    let left: Level | undefined;
    while (this.#level.indent > indent && this.#level.parent) {
      const { opener, failed, parent } = this.#level;
      left = opener ? undefined : this.#level;
      if (opener?.point.status === 'failed' && !failed) this.#leaves.push(opener);
      if (failed) parent.failed = true;
      this.#level = parent;
    }
    return left;
  }
}

/** `'file:///app/cart.test.js:12:3'`, as written by node. */
const placeIn = /^'?(?:file:\/\/)?(.+):(\d+):\d+'?$/;

function caseOf({ point, level, text }: Leaf): ReportedCase {
  const suites: string[] = [];
  for (let at: Level | undefined = level; at; at = at.parent) if (at.name) suites.unshift(at.name);
  const said = withoutTerminalCodes(text?.text ?? '').trim();
  const lines = said.split('\n');
  const timing = lines.findIndex((one) => one.trimStart().startsWith('duration_ms:'));
  const timed = /^duration_ms:\s*([\d.]+)$/.exec(lines[timing]?.trim() ?? '')?.[1];
  const durationMs = point.durationMs ?? (timed === undefined ? undefined : millisecondsOf(`${timed}ms`));
  const place = lines.find((one) => one.trimStart().startsWith('location:'));
  const [, file, line] = placeIn.exec(place?.trim().slice('location:'.length).trimStart() ?? '') ?? [];
  const at = lineOf(line);
  const diagnostics = lines
    .toSpliced(timing < 0 ? lines.length : timing, 1)
    .join('\n')
    .trim();
  const messages = { passed: '', failed: diagnostics || point.reason, skipped: point.reason };
  const message = messages[point.status];
  // The flat form of vitest.
  const titles = point.name.split(' > ');
  const isPath = titles.length > 1 && /\.[cm]?[jt]sx?$/.test(titles[0] ?? '');
  if (isPath) suites.push(...titles.slice(0, -1));
  const attempt: ReportedAttempt = {
    status: point.status,
    ...(durationMs !== undefined && { durationMs: rounded(durationMs) }),
    ...(message && { message: message }),
  };
  return {
    suites,
    name: isPath ? (titles.at(-1) ?? '') : point.name,
    status: point.status,
    attempts: [attempt],
    ...(file !== undefined && { file: file }),
    ...(file !== undefined && at !== undefined && { line: at }),
  };
}

export const tap: ReportFormat = {
  kind: 'lines',
  name: 'tap',
  title: 'TAP',
  writtenBy: 'prove, bats, busted, node, vitest, mocha',
  isLine: (line) => /^(?:TAP version \d+|1\.\.\d+(?:\s|$)|(?:not )?ok (?:\d+|-)(?:\s|$))/.test(line),
  followsMarkup: true,
  reader: (list) => new TapReader(list),
};
