import { everyClassification, type Classification } from '../rules/classification.ts';
import { changedComment, commentWords, newComment, writtenName, writtenNames } from './case-comment.ts';
import { escapedText, type CaseBlock, type CasePart, type PartKind } from './case-document.ts';
import type { TestContent, ContentField } from './case-content.ts';
import { writtenSteps } from './case-steps-text.ts';

type Written = Omit<TestContent, 'section'>;

/** The word of a field in the comment of a test; undefined: it is written below. */
const wordOf: Partial<Record<ContentField, string>> = {
  ...commentWords,
  squad: 'squad',
  labels: 'labels',
  estimateSeconds: 'estimate',
};

const estimateText = (seconds: number): string =>
  seconds % 3_600 === 0 ? `${seconds / 3_600}h` : seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;

/** The value of a line of the comment; null: no line. */
function lineOf(content: Written, field: ContentField): string | null {
  if (field === 'labels') return content.labels.length === 0 ? null : writtenNames(content.labels);
  if (field === 'estimateSeconds')
    return content.estimateSeconds === null ? null : estimateText(content.estimateSeconds);
  if (field === 'squad') return content.squad === null ? null : writtenName(content.squad);
  const kind = everyClassification.find((one) => one === field) as Classification;
  const value = content[kind];
  return value === null ? null : writtenName(value);
}

const inEol = (text: string, eol: string): string => (eol === '\n' ? text : text.replaceAll('\n', eol));

/** A text below a heading or a title: with an empty line before and after. */
const paragraph = (text: string, kind: 'text' | 'preconditions', eol: string): string =>
  text === '' ? eol : eol + inEol(escapedText(text, kind), eol) + eol + eol;

const sectionPart = (
  kind: 'preconditions' | 'steps',
  { preconditions, steps }: Written,
  eol: string,
): CasePart => ({
  kind,
  raw:
    kind === 'preconditions'
      ? `### Preconditions${eol}${paragraph(preconditions, 'preconditions', eol)}`
      : `### Steps${eol}${eol}${writtenSteps(steps, eol)}${eol}${eol}`,
});

/** A new test as it is written at the end of a file. */
export function newBlock(testId: number, content: Written, eol: string): readonly CasePart[] {
  const lines = new Map<string, string | null>([['id', `@T${testId}`]]);
  for (const [field, word] of Object.entries(wordOf)) lines.set(word, lineOf(content, field as ContentField));
  return [
    { kind: 'comment', raw: newComment(lines, eol) },
    { kind: 'heading', raw: `## ${content.testName}${eol}` },
    { kind: 'text', raw: paragraph(content.testDescription, 'text', eol) },
    ...(content.preconditions === '' ? [] : [sectionPart('preconditions', content, eol)]),
    ...(content.steps.length === 0 ? [] : [sectionPart('steps', content, eol)]),
  ];
}

/**
 * The parts of a test with some fields changed; all that is not changed stays byte for byte.
 * @param content the values of these fields.
 * @param testId the id that the test gets; undefined: it stays.
 */
export function changedBlock(
  { parts }: Pick<CaseBlock, 'parts'>,
  content: Written,
  fields: readonly ContentField[],
  { eol, testId }: { readonly eol: string; readonly testId?: number },
): readonly CasePart[] {
  let next = withComment(parts, content, { fields, eol, testId });
  if (fields.includes('testName'))
    next = next.map((part) =>
      part.kind === 'heading' ? { ...part, raw: `## ${content.testName}${eol}` } : part,
    );
  if (fields.includes('testDescription')) next = withText(next, content, eol);
  for (const kind of ['preconditions', 'steps'] as const)
    if (fields.includes(kind)) next = withSection(next, kind, content, eol);
  return next;
}

function withComment(
  parts: readonly CasePart[],
  content: Written,
  given: {
    readonly fields: readonly ContentField[];
    readonly eol: string;
    readonly testId: number | undefined;
  },
): readonly CasePart[] {
  const { fields, eol, testId } = given;
  const changes = new Map<string, string | null>();
  if (testId !== undefined) changes.set('id', `@T${testId}`);
  for (const field of fields) {
    const word = wordOf[field];
    if (word !== undefined) changes.set(word, lineOf(content, field));
  }
  if (changes.size === 0) return parts;
  if (parts.some(({ kind }) => kind === 'comment'))
    return parts.map((part) =>
      part.kind === 'comment' ? { ...part, raw: changedComment(part.raw, changes, eol) } : part,
    );
  if ([...changes.values()].every((value) => value === null)) return parts;
  return [{ kind: 'comment', raw: newComment(changes, eol) }, ...parts];
}

/** The description in place of all text, also of sections that were not understood and are a part of it. */
function withText(
  parts: readonly CasePart[],
  { testDescription }: Written,
  eol: string,
): readonly CasePart[] {
  const without = parts.filter(({ kind }) => kind !== 'text');
  const at = without.findIndex(({ kind }) => kind === 'heading') + 1;
  const text: CasePart = { kind: 'text', raw: paragraph(testDescription, 'text', eol) };
  return [...without.slice(0, at).map((part) => ended(part, eol)), text, ...without.slice(at)];
}

const after: Readonly<Record<'preconditions' | 'steps', readonly PartKind[]>> = {
  preconditions: ['comment', 'heading', 'text'],
  steps: ['comment', 'heading', 'text', 'preconditions'],
};

function withSection(
  parts: readonly CasePart[],
  kind: 'preconditions' | 'steps',
  content: Written,
  eol: string,
): readonly CasePart[] {
  const isEmpty = kind === 'steps' ? content.steps.length === 0 : content.preconditions === '';
  const part = sectionPart(kind, content, eol);
  if (parts.some((one) => one.kind === kind))
    return parts.flatMap((one) => (one.kind === kind ? (isEmpty ? [] : [part]) : [one]));
  if (isEmpty) return parts;
  // Text that follows the other sections stays behind them.
  let at = parts.findIndex((one) => !after[kind].includes(one.kind));
  if (at < 0) at = parts.length;
  return [...parts.slice(0, at).map((one) => ended(one, eol)), part, ...parts.slice(at)];
}

/** The last line of a file may have no end. */
const ended = (part: CasePart, eol: string): CasePart =>
  part.raw === '' || part.raw.endsWith('\n') ? part : { ...part, raw: part.raw + eol };
