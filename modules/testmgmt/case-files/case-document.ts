import { byName } from '../rules/classification.ts';
import { secondsOf } from '../import-files/text/estimate-text.ts';
import { comparedContent, type TestContent } from './case-content.ts';
import {
  CommentFault,
  commentBegin,
  commentEnd,
  commentWords,
  conflictLines,
  readComment,
  withMark,
  withoutMark,
  type CaseComment,
} from './case-comment.ts';
import { readSteps } from './case-steps-text.ts';

/*
 * A file of test cases: what stands before the first test, then the tests. Each part keeps its text, so that the parts together are the
 * file, byte for byte.
 */

export type PartKind = 'comment' | 'heading' | 'text' | 'preconditions' | 'steps';

export interface CasePart {
  readonly kind: PartKind;
  readonly raw: string;
}

/** A test in a file. */
export interface CaseBlock {
  readonly parts: readonly CasePart[];
  /** From 1: where its heading is. */
  readonly line: number;
  readonly testId: number | null;
  readonly testName: string;
  /** Without the section, which is the place of the file. */
  readonly content: Omit<TestContent, 'section'>;
  /** It has marks of a conflict. */
  readonly isUnresolved: boolean;
  readonly left: CaseComment['left'];
}

export interface CaseDocument {
  readonly preamble: string;
  readonly blocks: readonly CaseBlock[];
  readonly eol: '\n' | '\r\n';
}

/** What is wrong in a file, and where. */
export class CaseFileFault extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

// With `s`, here and in the other rules of a line: U+2028 in a text is no end of its line.
const heading = /^##[ \t]+(\S.*)$/s;
const upperHeading = /^#{1,3}[ \t]/;
const named = (name: string) => new RegExp(`^###[ \\t]+${name}[ \\t]*$`, 'i');
const [preconditionsHeading, stepsHeading] = [named('Preconditions'), named('Steps')];

/** Lines with their ends. */
const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [...lines.map((line) => `${line}\n`), ...(last === '' ? [] : [last])];
};
const bare = (line: string): string => line.replace(/\r?\n$/, '');

/** @throws CaseFileFault. */
export function readDocument(text: string): CaseDocument {
  const lines = linesOf(text);
  const starts = headingsOf(lines);
  const eol = (text.match(/\r\n/g)?.length ?? 0) * 2 > (text.match(/\n/g)?.length ?? 0) ? '\r\n' : '\n';
  const begins = starts.map((at) => commentBefore(lines, at) ?? at);
  const first = begins[0] ?? lines.length;
  for (const [at, line] of lines.entries())
    if (bare(line).startsWith(commentBegin) && !begins.includes(at) && !isWithin(lines, at))
      throw new CaseFileFault(at + 1, 'A comment "<!-- test" has no heading "## Name" below it');
  return {
    preamble: lines.slice(0, first).join(''),
    blocks: starts.map((at, nth) =>
      blockOf(lines, { begin: begins[nth] ?? at, heading: at, end: begins[nth + 1] ?? lines.length }),
    ),
    eol,
  };
}

/** The state of a line: whether it is within a fence of code or a comment. */
class Shelter {
  #fence: string | null = null;
  #inComment = false;

  get isOpen(): boolean {
    return this.#inComment || this.#fence !== null;
  }

  /** @returns whether the line is text, which may be a heading. */
  see(line: string, inSteps: boolean): boolean {
    if (this.#inComment) {
      if (line.includes(commentEnd)) this.#inComment = false;
      return false;
    }
    // Items of steps are indented: a fence in them ends with its item.
    const [, mark = ''] = (inSteps ? /^(`{3,}|~{3,})/ : /^ {0,3}(`{3,}|~{3,})/).exec(line) ?? [];
    if (this.#fence !== null) {
      if (mark.startsWith(this.#fence) && line.trim() === mark) this.#fence = null;
      return false;
    }
    if (mark !== '') {
      this.#fence = mark;
      return false;
    }
    if (line.startsWith('<!--') && !line.slice(4).includes(commentEnd)) {
      this.#inComment = true;
      return false;
    }
    return true;
  }
}

/** Where the headings of tests are. */
function headingsOf(lines: readonly string[]): readonly number[] {
  const found: number[] = [];
  const shelter = new Shelter();
  let inSteps = false;
  for (const [at, line] of lines.entries()) {
    const text = bare(line);
    if (!shelter.see(text, inSteps)) continue;
    if (heading.test(text)) found.push(at);
    if (upperHeading.test(text)) inSteps = stepsHeading.test(text);
  }
  return found;
}

/** Whether a line that looks like the begin of a comment is in a fence. */
function isWithin(lines: readonly string[], at: number): boolean {
  const shelter = new Shelter();
  for (const line of lines.slice(0, at)) shelter.see(bare(line), false);
  return shelter.isOpen;
}

/** Lines of a comment; more is none of ours. */
const mostCommentLines = 200;

/** Where the comment before a heading begins; undefined: there is none. */
function commentBefore(lines: readonly string[], headingAt: number): number | undefined {
  let at = headingAt - 1;
  while (at >= 0 && bare(lines[at] ?? '').trim() === '') at--;
  if (
    !bare(lines[at] ?? '')
      .trimEnd()
      .endsWith(commentEnd)
  )
    return undefined;
  const end = at;
  for (const last = Math.max(0, at - mostCommentLines); at >= last; at--) {
    const text = bare(lines[at] ?? '');
    // A comment ends once: what ends above is that of the test above, whose text ends like a comment.
    if (at < end && text.includes(commentEnd)) return undefined;
    if (text.startsWith(commentBegin) && /^<!-- test(?:\s|$)/.test(text)) return at;
    if (text.startsWith('<!--')) return undefined;
  }
  return undefined;
}

interface Span {
  readonly begin: number;
  readonly heading: number;
  readonly end: number;
}

function blockOf(lines: readonly string[], { begin, heading: at, end }: Span): CaseBlock {
  const parts: CasePart[] = [];
  if (begin < at) parts.push({ kind: 'comment', raw: lines.slice(begin, at).join('') });
  parts.push({ kind: 'heading', raw: lines[at] ?? '' });
  parts.push(...bodyOf(lines.slice(at + 1, end)));
  const testName = (heading.exec(bare(lines[at] ?? ''))?.[1] ?? '').trimEnd();
  const raw = parts.map((part) => part.raw).join('');
  const comment = commentOf(parts, begin + 1);
  return {
    parts,
    line: at + 1,
    testId: comment.testId,
    testName,
    content: contentOf(testName, comment, parts, begin + 1),
    isUnresolved: linesOf(raw).some((line) =>
      [conflictLines.file, conflictLines.server].some((mark) => bare(line).trim() === mark),
    ),
    left: comment.left,
  };
}

/** The parts below a heading. A section of steps that is not understood, or a second one, is text. */
function bodyOf(lines: readonly string[]): readonly CasePart[] {
  const parts: Array<{ kind: PartKind; lines: string[] }> = [{ kind: 'text', lines: [] }];
  const shelter = new Shelter();
  for (const line of lines) {
    const text = bare(line);
    const inSteps = parts.at(-1)?.kind === 'steps';
    if (shelter.see(text, inSteps) && upperHeading.test(text)) {
      const kind = preconditionsHeading.test(text)
        ? 'preconditions'
        : stepsHeading.test(text)
          ? 'steps'
          : 'text';
      const isSecond = kind !== 'text' && parts.some((part) => part.kind === kind);
      parts.push({ kind: isSecond ? 'text' : kind, lines: [] });
    }
    parts.at(-1)?.lines.push(line);
  }
  return parts
    .filter((part) => part.lines.length > 0)
    .map(({ kind, lines: own }) => {
      const raw = own.join('');
      const isUnknown = kind === 'steps' && readSteps(belowHeading(raw)) === null;
      return { kind: isUnknown ? 'text' : kind, raw };
    });
}

const belowHeading = (raw: string): string => raw.slice(raw.indexOf('\n') + 1 || raw.length);

function commentOf(parts: readonly CasePart[], line: number): CaseComment {
  const raw = parts.find(({ kind }) => kind === 'comment')?.raw;
  if (raw === undefined) return { testId: null, values: new Map(), labels: [], left: {} };
  try {
    return readComment(raw);
  } catch (error) {
    if (error instanceof CommentFault) throw new CaseFileFault(line, error.message);
    throw error;
  }
}

function contentOf(
  testName: string,
  { values, labels }: CaseComment,
  parts: readonly CasePart[],
  line: number,
): Omit<TestContent, 'section'> {
  const rawOf = (kind: PartKind) => parts.filter((part) => part.kind === kind).map(({ raw }) => raw);
  const estimate = values.get('estimate');
  const estimateSeconds = estimate === undefined ? null : secondsOf(estimate);
  if (estimateSeconds === undefined)
    throw new CaseFileFault(line, `"estimate: ${estimate}" is no time like 90s, 5m or 1h`);
  const [preconditions = ''] = rawOf('preconditions');
  const [steps = ''] = rawOf('steps');
  const { section: _, ...content } = comparedContent({
    testName,
    section: [],
    testDescription: unescapedText(rawOf('text').join(''), 'text'),
    preconditions: unescapedText(belowHeading(preconditions), 'preconditions'),
    steps: readSteps(belowHeading(steps)) ?? [],
    ...byName((kind) => values.get(commentWords[kind]) ?? null),
    squad: values.get('squad') ?? null,
    labels,
    estimateSeconds,
  });
  return content;
}

/** Lines that would begin something else, if they were written as they are in a text, or below Preconditions. */
const specialIn = {
  text: /^\\*(?:##[ \t]|###[ \t]+(?:Preconditions|Steps)[ \t]*$|<!-- test(?:\s|$))/i,
  preconditions: /^\\*(?:#{1,3}[ \t]|<!-- test(?:\s|$))/i,
} as const;
/** Lines that begin something that must end. */
const opening = /^\\*(?: {0,3}(?:`{3}|~{3})|<!--)/;

type TextKind = keyof typeof specialIn;

/** A text of a test as it is written in a file. */
export const escapedText = (text: string, kind: TextKind): string =>
  escapedLines(text.split('\n').map(withoutMark), kind);

/** {@link escapedText} of lines in which marks are marks. */
export function escapedLines(lines: readonly string[], kind: TextKind): string {
  const forced = new Set<number>();
  for (;;) {
    const shelter = new Shelter();
    let openedAt = 0;
    const written = lines.map((line, at) => {
      if (shelter.isOpen) {
        shelter.see(line, false);
        return line;
      }
      if (forced.has(at) || specialIn[kind].test(line) || (line.startsWith('\\') && opening.test(line)))
        return `\\${line}`;
      shelter.see(line, false);
      if (shelter.isOpen) openedAt = at;
      return line;
    });
    // A fence without an end would take the tests below with it.
    if (!shelter.isOpen) return written.join('\n');
    forced.add(openedAt);
  }
}

/** The text that was written as this. */
function unescapedText(text: string, kind: TextKind): string {
  const shelter = new Shelter();
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const isEscaped =
        !shelter.isOpen && line.startsWith('\\') && (specialIn[kind].test(line) || opening.test(line));
      if (isEscaped) return line.slice(1);
      shelter.see(line, false);
      return withMark(line);
    })
    .join('\n');
}

/** The file that consists of these parts. */
export const writtenDocument = ({ preamble, blocks }: Pick<CaseDocument, 'preamble' | 'blocks'>): string =>
  preamble + blocks.map(({ parts }) => parts.map(({ raw }) => raw).join('')).join('');
