import type { TestStatus } from './test-status.ts';

/** The result of one step of a test. */
export interface StepResult {
  /** The number of the step, from 1. */
  readonly step: number;
  readonly status: TestStatus;
  readonly comment?: string;
}

/** In the order of the steps, without comments that say nothing. */
export const tidySteps = (given: readonly StepResult[]): readonly StepResult[] =>
  given
    .map(({ step, status, comment = '' }) => {
      const said = comment.trim();
      return said === '' ? { step, status } : { step, status, comment: said };
    })
    .toSorted((one, other) => one.step - other.step);

/**
 * The status that the results of the steps propose for the test: failed if one failed, else blocked, else retest; passed if every step
 * passed. Null: steps without a result are left, and none of the others decides.
 */
export function proposedStatus(given: readonly StepResult[], stepCount: number): TestStatus | null {
  const has = (status: TestStatus) => given.some((one) => one.status === status);
  for (const status of ['failed', 'blocked', 'retest'] as const) if (has(status)) return status;
  const passed = new Set(given.filter(({ status }) => status === 'passed').map(({ step }) => step));
  return stepCount > 0 && passed.size >= stepCount ? 'passed' : null;
}

/** Why the results of steps cannot be those of a test with so many steps; null: they can. */
export function stepFault(given: readonly StepResult[], stepCount: number): string | null {
  const seen = new Set<number>();
  for (const [index, { step }] of given.entries()) {
    if (step > stepCount)
      return `stepResults[${index}].step is ${step}, but the test has ${stepsText(stepCount)}`;
    if (seen.has(step)) return `stepResults[${index}].step is ${step} for the second time`;
    seen.add(step);
  }
  return null;
}

const stepsText = (count: number) =>
  count === 0 ? 'no steps' : `${count} ${count === 1 ? 'step' : 'steps'}`;
