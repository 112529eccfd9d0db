import { textHead } from '../../../core/text/text-head.ts';

/** A step of a test. */
export interface Step {
  readonly action: string;
  readonly data?: string;
  readonly expected?: string;
}

/** The action of a test that has only an expected result. */
export const noAction = 'See the expected result.';

/** The most characters of an action, and the most steps, of a test in Trivet. */
const longestAction = 20_000;
const mostSteps = 500;

const numbered = /^\s{0,8}\d{1,3}[.)]\s+(\S.*)$/;

/** A numbered list gives one text an item, with the lines below it; any other text is one. */
function actionsOf(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
  if (!numbered.test(lines[0] ?? '')) return [text.trim()];
  const actions: string[] = [];
  for (const line of lines) {
    const [, begins] = numbered.exec(line) ?? [];
    if (begins !== undefined) actions.push(begins.trimEnd());
    else if (line.trim() !== '') actions.push(`${actions.pop() ?? ''}\n${line.trimEnd()}`);
  }
  return actions.length > mostSteps ? [text.trim()] : actions;
}

/** Long texts in parts: the text of Checkmate has no limit. */
function inParts(action: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < action.length; at += parts.at(-1)?.length ?? 0)
    parts.push(textHead(action.slice(at), longestAction));
  return parts.filter((part) => /\S/.test(part));
}

/** The two texts of Checkmate as steps. The expected result is that of the last step. */
export function stepsFromTexts(
  steps: string | null | undefined,
  expected: string | null | undefined,
): Step[] {
  const actions = steps && /\S/.test(steps) ? actionsOf(steps).flatMap(inParts) : [];
  const result = expected && /\S/.test(expected) ? expected.trim() : undefined;
  if (result === undefined) return actions.map((action) => ({ action }));
  const [last = noAction] = actions.slice(-1);
  return [...actions.slice(0, -1).map((action) => ({ action })), { action: last, expected: result }];
}

/** The texts of Checkmate; null without any. Several steps are numbered, so that {@link stepsFromTexts} finds them again. */
export function textsOfSteps(steps: readonly Step[]): {
  readonly steps: string | null;
  readonly expectedResult: string | null;
} {
  const shown = steps.filter(({ action }) => action !== noAction);
  const lines = shown.map(({ action, data }, index) => {
    const line = data === undefined || data === '' ? action : `${action} (${data})`;
    return shown.length > 1 ? `${index + 1}. ${line}` : line;
  });
  const expected = steps.flatMap((step) => (step.expected ? [step.expected] : []));
  return { steps: lines.join('\n') || null, expectedResult: expected.join('\n') || null };
}
