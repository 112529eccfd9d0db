export interface Step {
  readonly action: string;
  readonly data?: string;
  readonly expected?: string;
}

/** Whether a row says nothing, so that Backspace may remove it. */
export const isEmptyStep = (step: Step | undefined): boolean =>
  step === undefined || [step.action, step.data, step.expected].every((text) => (text ?? '') === '');

/** The list with one step at another place. A place outside changes nothing. */
export function moved<T>(steps: readonly T[], from: number, to: number): readonly T[] {
  const step = steps[from];
  if (step === undefined || to < 0 || to >= steps.length) return steps;
  const rest = steps.toSpliced(from, 1);
  return rest.toSpliced(to, 0, step);
}

/** The steps as they are stored: without those that say nothing, and without empty fields. */
export const storedSteps = (steps: readonly Step[]): Step[] =>
  steps
    .filter(({ action }) => action.trim() !== '')
    .map(({ action, data, expected }) => ({
      action,
      ...(data === undefined || data === '' ? {} : { data }),
      ...(expected === undefined || expected === '' ? {} : { expected }),
    }));
