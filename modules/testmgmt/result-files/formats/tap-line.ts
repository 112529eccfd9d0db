import { millisecondsOf } from '../cases/case-values.ts';
import type { ReportedStatus } from '../cases/reported-case.ts';

/** The content of one line of TAP 13 or 14. https://testanything.org/tap-version-14-specification.html */
export type TapLine =
  | ({ readonly is: 'point' } & TapPoint)
  | { readonly is: 'plan'; readonly tests: number; readonly indent: number }
  | { readonly is: 'bail'; readonly reason: string }
  | { readonly is: 'comment'; readonly text: string; readonly indent: number }
  | { readonly is: 'yaml' | 'close' | 'other'; readonly indent: number };

export interface TapPoint {
  readonly indent: number;
  readonly status: ReportedStatus;
  readonly name: string;
  /** Why it was skipped or is still to do. */
  readonly reason: string;
  readonly durationMs?: number;
  /** It ends with "{": the following lines may be its subtests (node-tap, vitest). */
  readonly opens: boolean;
}

const blank: TapLine = { is: 'other', indent: 0 };

export function tapLine(line: string): TapLine {
  // The expressions below took 6 s for 60 MiB of blank lines.
  if (line === '') return blank;
  const margin = /^[ \t]*/.exec(line)?.[0] ?? '';
  const indent = margin.replaceAll('\t', '    ').length;
  const text = line.slice(margin.length);
  const point = /^(not )?ok(?:\s+(\d+))?(?=\s|$)(.*)$/s.exec(text);
  if (point) {
    return { is: 'point', ...described(point[3] ?? '', point[1] === undefined, point[2] ?? ''), indent };
  }
  const plan = /^1\.\.(\d{1,9})(?:\s|$)/.exec(text);
  if (plan) return { is: 'plan', tests: Number(plan[1]), indent };
  if (text.startsWith('Bail out!')) return { is: 'bail', reason: text.slice(9).trim() };
  if (text.startsWith('#')) return { is: 'comment', text: text.replace(/^# ?/, ''), indent };
  if (text.trimEnd() === '---') return { is: 'yaml', indent };
  return { is: text.trimEnd() === '}' ? 'close' : 'other', indent };
}

/** Any other words after "#" are part of the name. */
const directive = /(?:^|\s)#\s*(skip\S*|todo)\b:?/i;
const duration = /\s#\s*time=([\d.]+\s*m?s)\s*$/;

function described(text: string, ok: boolean, number: string): Omit<TapPoint, 'indent'> {
  let rest = text.trimEnd();
  const opens = rest.endsWith('{');
  const timed = duration.exec(opens ? rest.slice(0, -1).trimEnd() : rest);
  if (timed) rest = (opens ? rest.slice(0, -1).trimEnd() : rest).slice(0, timed.index);
  const directed = directive.exec(rest);
  const reason = directed ? rest.slice(directed.index + directed[0].length).trimStart() : '';
  if (directed) rest = rest.slice(0, directed.index);
  rest = rest.trimStart();
  const hasDash = /^-(?=\s|$)/.test(rest);
  const said = hasDash ? rest.slice(1).trimStart() : rest;
  const name = said.replaceAll(/\\([\\#])/g, '$1').trimEnd();
  // busted writes the name of a pending case in the place of the reason.
  const unnamed = hasDash && directed ? reason : number;
  const durationMs = millisecondsOf(timed?.[1]);
  return {
    // A todo is not a verdict, whatever its result: node and vitest count it separately.
    status: directed ? 'skipped' : ok ? 'passed' : 'failed',
    name: name || unnamed,
    reason: reason.replace(/^-$/, ''),
    ...(durationMs !== undefined && { durationMs }),
    opens,
  };
}
