import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/schema.ts';
import { fail } from '../errors.ts';
import { firstProblems } from '../id-list.ts';
import type { Step } from '../schema.ts';

export const stepRecord = closedObject({
  action: Type.String({ minLength: 1, maxLength: 20_000, pattern: '\\S', description: 'What to do.' }),
  data: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to enter.' })),
  expected: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to see.' })),
});

/**
 * How much text the steps of one test may have together. Each of 500 steps may be long, but not all of them: one test of 30 MB
 * held up every list, export and copy that it was in.
 */
export const longestSteps = 512 * 1024;

export const stepsLength = (steps: readonly Step[]): number =>
  steps.reduce(
    (sum, { action, data, expected }) => sum + action.length + (data?.length ?? 0) + (expected?.length ?? 0),
    0,
  );

/** @throws Fault STEPS_TOO_LONG naming the tests by index. */
export function requireShortSteps(
  items: ReadonlyArray<{ readonly steps?: readonly Step[] }>,
  pathOf: (index: number) => string = () => '',
): void {
  const faults = items.flatMap(({ steps }, index) =>
    steps && stepsLength(steps) > longestSteps ? [`${pathOf(index)}steps`] : [],
  );
  const [first] = faults;
  if (first === undefined) return;
  throw fail.STEPS_TOO_LONG(
    `${firstProblems(faults)}: more than ${longestSteps} characters in total. Nothing was written.`,
    { cause: /^[^.[]+/.exec(first)?.[0] ?? 'steps' },
  );
}
