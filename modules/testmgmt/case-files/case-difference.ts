import { writtenNames } from './case-comment.ts';
import { comparedContent, type TestContent, type ContentField } from './case-content.ts';
import { writtenSteps } from './case-steps-text.ts';
import { sequenceDifference, type DifferenceLine } from './sequence-merge.ts';

/** A field before and after, as a person reads it. */
export interface WrittenDifference {
  readonly field: ContentField;
  readonly lines: readonly DifferenceLine[];
}

/** Lines around a change that are shown. */
const context = 2;

/** What a field says, as lines; none if it is not set. */
function linesOf(content: TestContent, field: ContentField): readonly string[] {
  const text =
    field === 'steps'
      ? writtenSteps(content.steps, '\n')
      : field === 'labels'
        ? writtenNames(content.labels)
        : field === 'section'
          ? content.section.join(' > ')
          : field === 'estimateSeconds'
            ? content.estimateSeconds === null
              ? ''
              : `${content.estimateSeconds} s`
            : (content[field] ?? '');
  return text === '' ? [] : text.split('\n');
}

/** How fields of a test changed. @param before undefined: a new test. */
export function fieldDifferences(
  before: TestContent | undefined,
  after: TestContent,
  fields: readonly ContentField[],
): readonly WrittenDifference[] {
  const [from, to] = [before && comparedContent(before), comparedContent(after)];
  return fields.flatMap((field) => {
    const lines = sequenceDifference(from ? linesOf(from, field) : [], linesOf(to, field));
    return lines.some(({ sign }) => sign !== ' ') ? [{ field, lines: nearChanges(lines) }] : [];
  });
}

/** Without the lines that are far from every change. */
const nearChanges = (lines: readonly DifferenceLine[]): readonly DifferenceLine[] =>
  lines.filter((line, at) => {
    const around = lines.slice(Math.max(0, at - context), at + context + 1);
    return line.sign !== ' ' || around.some(({ sign }) => sign !== ' ');
  });

/** Differences as text: one line for each line, below the name of its field. */
export const differenceText = (differences: readonly WrittenDifference[]): string =>
  differences
    .map(({ field, lines }) => `  ${field}\n${lines.map(({ sign, text }) => `  ${sign} ${text}`).join('\n')}`)
    .join('\n');
