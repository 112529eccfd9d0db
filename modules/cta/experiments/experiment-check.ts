import type { Problem } from '../../../core/base/problem.ts';
import type { Experiment, Variant } from '../rules/experiment.ts';
import type { ReportProblem } from '../rules/filter-check.ts';
import { checkActions } from '../rules/rule-check.ts';
import { maxRuleBytes } from '../rules/rule-words.ts';
import type { RuleInput } from '../rules/rule.ts';

/** Decimals such as 0.1 + 0.2 do not add up exactly. */
const tolerance = 1e-9;

/**
 * Checks what the schema of an experiment does not cover.
 * @returns every problem with its path, e.g. `variants[1].weight`; an empty list for an experiment that may be saved.
 */
export function checkExperiment(experiment: Experiment, rule: RuleInput): Problem[] {
  const problems: Problem[] = [];
  const report: ReportProblem = (path, message) => problems.push({ path, message });
  const { variants } = experiment;
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  if (!(Math.abs(sum - 1) <= tolerance)) report('variants', `have weights that add up to ${sum}, not to 1`);
  const keys = new Set<string>();
  const controls: number[] = [];
  for (const [index, variant] of variants.entries()) {
    const path = `variants[${index}]`;
    if (keys.has(variant.key)) report(`${path}.key`, 'is the same as that of an earlier variant');
    keys.add(variant.key);
    if (variant.control === true) controls.push(index);
    checkVariant(variant, rule, (inner, message) => report(`${path}.${inner}`, message));
  }
  const [control, ...others] = controls;
  for (const index of others) report(`variants[${index}].control`, 'is the second one: one control at most');
  if (control !== undefined) checkComparable(variants, rule, `variants[${control}].control`, report);
  if (Buffer.byteLength(JSON.stringify(experiment)) > maxRuleBytes)
    report('variants', `are larger than ${maxRuleBytes} bytes of JSON`);
  return problems;
}

function checkVariant({ actions, control }: Variant, rule: RuleInput, report: ReportProblem): void {
  if (actions === undefined) return;
  if (control === true) report('actions', 'must be absent: a control shows nothing');
  const actionIds = checkActions(actions, report);
  for (const [state, actionId] of Object.entries(rule.stateToAction)) {
    if (!actionIds.has(actionId))
      report('actions', `do not hold "${actionId}", which stateToAction.${state} names`);
  }
}

/**
 * A control arm is compared with the others only if apps stamp and block in it as they do in them. The deployed app SDK does so unless an
 * action waits for context or is a TOOLTIP (experiments/control-arm.test.ts).
 */
function checkComparable(
  variants: readonly Variant[],
  rule: RuleInput,
  path: string,
  report: ReportProblem,
): void {
  if ((rule.contextParams ?? []).length > 0)
    report(
      path,
      'is not possible with contextParams: apps wait for them before they show, but not in a control',
    );
  for (const variant of variants) {
    if (variant.control === true) continue;
    const tip = (variant.actions ?? rule.actions).find(({ type }) => type === 'TOOLTIP');
    if (tip === undefined) continue;
    const where = `"${tip.actionId}" of variant "${variant.key}"`;
    report(
      path,
      `is not possible with the TOOLTIP ${where}: it does not keep other CTAs back, and a control does`,
    );
  }
}

/** What changed in an experiment between two versions of its CTA; `other` makes it another experiment. */
type ExperimentChange = 'nothing' | 'coverage grows' | 'coverage shrinks' | 'other';

export function experimentChange(before: Experiment | null, after: Experiment | null): ExperimentChange {
  if (isSameJson(before, after)) return 'nothing';
  if (before === null || after === null) return 'other';
  if (!isSameJson({ ...before, coverage: 0 }, { ...after, coverage: 0 })) return 'other';
  return after.coverage > before.coverage ? 'coverage grows' : 'coverage shrinks';
}

/** Whether two values are the same JSON: clients and databases may order the members of an object differently. */
export const isSameJson = (left: unknown, right: unknown): boolean => sortedText(left) === sortedText(right);

const sortedText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
