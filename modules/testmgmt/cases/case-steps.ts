import { Type } from '@sinclair/typebox';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import type { Step } from '../base/schema.ts';

export const stepRecord = closedObject({
  action: Type.String({ minLength: 1, maxLength: 20_000, pattern: '\\S', description: 'What to do.' }),
  data: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to enter.' })),
  expected: Type.Optional(Type.String({ maxLength: 20_000, description: 'What to see.' })),
});

/**
 * Limit for the characters of all steps of one test together. Each of 500 steps may be long, but not all of them: one test of 30 MB blocked
 * every list, export and copy that contained it.
 */
export const maxStepsLength = 512 * 1024;

export const stepsLength = (steps: readonly Step[]): number =>
  steps.reduce(
    (sum, { action, data, expected }) => sum + action.length + (data?.length ?? 0) + (expected?.length ?? 0),
    0,
  );

/** @throws Fault STEPS_TOO_LONG that names the tests by index. */
export function requireShortSteps(
  items: ReadonlyArray<{ readonly steps?: readonly Step[] }>,
  pathOf: (index: number) => string = () => '',
): void {
  const paths = items.flatMap(({ steps }, index) =>
    steps && stepsLength(steps) > maxStepsLength ? [`${pathOf(index)}steps`] : [],
  );
  const [first] = paths;
  if (first === undefined) return;
  throw fail.STEPS_TOO_LONG(
    `${firstProblems(paths)}: more than ${maxStepsLength} characters in total. Nothing was written.`,
    { cause: /^[^.[]+/.exec(first)?.[0] ?? 'steps' },
  );
}

/** A field that differs between two versions of a test, as tools return it. */
export const fieldDifference = closedObject({
  field: Type.String(),
  from: Type.Unknown(),
  to: Type.Unknown(),
  fromName: Type.Optional(Type.String()),
  toName: Type.Optional(Type.String()),
});

/** A step that differs between two lists, as tools return it (`StepDifference`). */
export const stepDifference = closedObject({
  change: words(['added', 'removed', 'changed'], { description: 'What happened to the step.' }),
  from: nullable(Type.Integer({ description: 'Its position, from 1.' })),
  to: nullable(Type.Integer()),
  before: Type.Optional(stepRecord),
  after: Type.Optional(stepRecord),
});
