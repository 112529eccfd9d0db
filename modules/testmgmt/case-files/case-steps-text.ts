import type { Step } from '../base/schema.ts';
import { withMark, withoutMark } from './case-comment.ts';
import { plainStepText } from './case-content.ts';

/*
 * Steps as a numbered list:
 *
 * 1. Open the page
 *    Data: https://shop.example
 *    Expected: It is there
 *
 * The lines of an item are indented by the width of its number. A line of a text that begins with "Data:" or "Expected:" has a backslash.
 */

const itemStart = /^(\d{1,9}[.)] {1,4})(\S.*)$/s;
const partStart = /^(Data|Expected):(.*)$/s;
const escapable = /^\\*(?:Data|Expected):/;

type Part = 'action' | 'data' | 'expected';
const order: readonly Part[] = ['action', 'data', 'expected'];

/**
 * The steps in the text of a section.
 * @returns null if anything in it is not a step: then the section is left as it is.
 */
export function readSteps(text: string): readonly Step[] | null {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const items: string[][] = [];
  let width = 0;
  for (const line of lines) {
    const [, marker = '', first = ''] = itemStart.exec(line) ?? [];
    if (marker !== '') {
      width = marker.length;
      items.push([first]);
    } else if (line.trim() === '') items.at(-1)?.push('');
    else if (items.length > 0 && line.startsWith(' '.repeat(width))) items.at(-1)?.push(line.slice(width));
    else return null;
  }
  const steps = items.map(stepOf);
  return steps.every((step) => step !== null) ? steps : null;
}

function stepOf(lines: readonly string[]): Step | null {
  const parts: Record<Part, string[]> = { action: [], data: [], expected: [] };
  const seen = new Set<Part>(['action']);
  let part: Part = 'action';
  for (const line of lines) {
    const [, name, rest = ''] = partStart.exec(line) ?? [];
    if (name === undefined) {
      parts[part].push(withMark(escapable.test(line) ? line.slice(1) : line));
      continue;
    }
    const next: Part = name === 'Data' ? 'data' : 'expected';
    // In another order, or twice: it could not be written back as it was.
    if (order.indexOf(next) <= order.indexOf(part) || seen.has(next)) return null;
    seen.add(next);
    part = next;
    parts[part].push(rest.trimStart());
  }
  const [action, data, expected] = order.map((one) => parts[one].join('\n').trim());
  if (action === undefined || action === '') return null;
  return { action, ...(data && { data }), ...(expected && { expected }) };
}

/** Steps as text, without an end of line at the end. */
export const writtenSteps = (steps: readonly Step[], eol: string): string =>
  steps.map((step, index) => writtenStep(step, `${index + 1}. `, eol)).join(eol);

function writtenStep({ action, data, expected }: Step, marker: string, eol: string): string {
  const indent = ' '.repeat(marker.length);
  const part = (name: string, text: string | undefined) => {
    if (text === undefined || text.trim() === '') return [];
    // Its first line follows the name, so it begins no other part.
    const [first = ''] = plainStepText(text).split('\n');
    return [`${name}: ${first}`, ...linesOf(text).slice(1)];
  };
  const [first = '', ...rest] = linesOf(action);
  const below = [...rest, ...part('Data', data), ...part('Expected', expected)];
  return [marker + first, ...below.map((line) => (line === '' ? '' : indent + line))].join(eol);
}

const linesOf = (text: string): readonly string[] =>
  plainStepText(text)
    .split('\n')
    .map((line) => (escapable.test(line) ? `\\${line}` : withoutMark(line)));
