import {
  changedComment,
  commentWords,
  conflictOf,
  withoutMark,
  writtenName,
  writtenNames,
} from './case-comment.ts';
import type { TestContent, ContentField } from './case-content.ts';
import { escapedLines, type CaseBlock, type CasePart } from './case-document.ts';
import type { FieldConflict } from './case-merge.ts';
import { writtenSteps } from './case-steps-text.ts';
import type { Step } from '../base/schema.ts';

/** The word by which a field is named in the marks of a conflict. */
const wordOf = (field: ContentField): string =>
  (
    { ...commentWords, testName: 'name', estimateSeconds: 'estimate' } as Partial<
      Record<ContentField, string>
    >
  )[field] ?? field;

function valueText(content: TestContent, field: ContentField): string {
  const value = content[field];
  if (field === 'section') return content.section.join(' > ');
  if (field === 'labels') return writtenNames(content.labels);
  if (typeof value === 'number') return `${value}s`;
  return typeof value === 'string' ? writtenName(value) : '';
}

/**
 * The parts of a test with the marks of its conflicts: texts and steps in their place, other fields in the comment. The values of the file
 * stay; whoever agrees with them removes the marks.
 */
export function withConflicts(
  { parts }: Pick<CaseBlock, 'parts'>,
  conflicts: readonly FieldConflict[],
  sides: { readonly file: TestContent; readonly server: TestContent },
  eol: string,
): readonly CasePart[] {
  const single = conflicts.flatMap(({ field, parts: both }) => (both === undefined ? [field] : []));
  const lines = single.flatMap((field) => {
    const line = (content: TestContent) => [`${wordOf(field)}: ${valueText(content, field)}`];
    return conflictOf(line(sides.file), line(sides.server));
  });
  let next = lines.length === 0 ? parts : withLines(parts, { words: single.map(wordOf), lines, eol });
  for (const { field, parts: both } of conflicts) {
    if (both === undefined) continue;
    const kind = field === 'testDescription' ? 'text' : field === 'steps' ? 'steps' : 'preconditions';
    const body =
      kind === 'steps'
        ? both.flatMap(({ items, conflict }) =>
            conflict ? conflictOf(stepLines(conflict.ours), stepLines(conflict.theirs)) : stepLines(items),
          )
        : escapedLines(
            both.flatMap(({ items, conflict }) =>
              conflict
                ? conflictOf(conflict.ours.map(withoutMark), conflict.theirs.map(withoutMark))
                : items.map(withoutMark),
            ),
            kind,
          ).split('\n');
    next = withBody(next, kind, body, eol);
  }
  return next;
}

const stepLines = (steps: readonly string[]): readonly string[] =>
  steps.length === 0
    ? []
    : writtenSteps(
        steps.map((step) => JSON.parse(step) as Step),
        '\n',
      ).split('\n');

/** The marks take the place of the lines that they are about: once the marks are removed, each word is there once. */
function withLines(
  parts: readonly CasePart[],
  {
    words,
    lines,
    eol,
  }: { readonly words: readonly string[]; readonly lines: readonly string[]; readonly eol: string },
): readonly CasePart[] {
  const text = lines.map((line) => line + eol).join('');
  const removed = new Map(words.map((word) => [word, null]));
  return parts.map((part) => {
    if (part.kind !== 'comment') return part;
    const raw = changedComment(part.raw, removed, eol);
    const end = raw.lastIndexOf('-->');
    return { ...part, raw: raw.slice(0, end) + text + raw.slice(end) };
  });
}

function withBody(
  parts: readonly CasePart[],
  kind: 'text' | 'steps' | 'preconditions',
  lines: readonly string[],
  eol: string,
): readonly CasePart[] {
  const heading = kind === 'text' ? '' : `### ${kind === 'steps' ? 'Steps' : 'Preconditions'}${eol}`;
  const raw = `${heading}${eol}${lines.join(eol)}${eol}${eol}`;
  const isThere = parts.some((part) => part.kind === kind);
  let isDone = false;
  const replaced = parts.flatMap((part) => {
    if (part.kind !== kind) return [part];
    if (isDone) return [];
    isDone = true;
    return [{ kind, raw }];
  });
  return isThere ? replaced : [...parts, { kind, raw }];
}
