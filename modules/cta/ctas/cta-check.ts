import type { Problem } from '../../../core/base/problem.ts';
import { fail } from '../base/errors.ts';
import { compareVersions } from '../rules/app-version.ts';
import { checkRule } from '../rules/rule-check.ts';
import { ruleWarnings } from '../rules/rule-warnings.ts';
import { maxRuleBytes } from '../rules/rule-words.ts';
import type { Experiment } from '../rules/experiment.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { Warning } from '../rules/warning.ts';
import { checkExperiment } from '../experiments/experiment-check.ts';
import type { CtaFields } from '../base/schema.ts';

/** The most problems that one error message lists. */
const maxShownProblems = 20;

/**
 * Checks that a CTA may be saved.
 * @throws Fault INVALID_RULE or INVALID_EXPERIMENT naming the path of each problem, INVALID_PERIOD.
 */
export function requireValid({ rule, startTime, endTime, experiment }: CtaFields): void {
  if (startTime !== null && endTime !== null && endTime <= startTime) {
    throw fail.INVALID_PERIOD('endTime must be later than startTime.', { cause: 'endTime' });
  }
  const problems = checkRule(rule);
  const first = problems[0];
  if (first)
    throw fail.INVALID_RULE(`The rule cannot be saved: ${shown(problems, 'rule')}.`, {
      cause: `rule.${first.path}`,
    });
  if (Buffer.byteLength(JSON.stringify(rule)) > maxRuleBytes) {
    throw fail.INVALID_RULE(`The rule cannot be saved: it is larger than ${maxRuleBytes} bytes of JSON.`, {
      cause: 'rule',
    });
  }
  if (experiment) requireExperiment(experiment, rule);
}

/** @throws Fault INVALID_EXPERIMENT. */
function requireExperiment(experiment: Experiment, rule: RuleInput): void {
  const problems = checkExperiment(experiment, rule);
  const first = problems[0];
  if (first)
    throw fail.INVALID_EXPERIMENT(`The experiment cannot be saved: ${shown(problems, 'experiment')}.`, {
      cause: `experiment.${first.path}`,
    });
}

function shown(problems: readonly Problem[], whole: string): string {
  const named = problems.slice(0, maxShownProblems).map(({ path, message }) => `${whole}.${path} ${message}`);
  const rest = problems.length > maxShownProblems ? `; and ${problems.length - maxShownProblems} more` : '';
  return `${named.join('; ')}${rest}`;
}

/** Warnings about a CTA that may be saved but behaves unexpectedly. `known` contains the tenant's cohorts. */
export function ctaWarningsOf(
  { rule, endTime }: CtaFields,
  known: ReadonlySet<string>,
  now: number,
): Warning[] {
  const warnings = ruleWarnings(rule).map(({ path, message }) => ({ path: `rule.${path}`, message }));
  if (endTime !== null && endTime <= now) {
    warnings.push({ path: 'endTime', message: 'The endTime has passed: the CTA cannot go live.' });
  }
  return [...warnings, ...audienceWarnings(rule, known)];
}

function audienceWarnings({ cohortEligibility, appVersions }: RuleInput, known: ReadonlySet<string>) {
  const warnings: Warning[] = [];
  for (const list of ['includes', 'excludes'] as const) {
    for (const [index, cohort] of (cohortEligibility?.[list] ?? []).entries()) {
      if (cohort === 'all' || known.has(cohort)) continue;
      const path = `rule.cohortEligibility.${list}[${index}]`;
      warnings.push({ path, message: 'There is no cohort of this name, so nobody is in it.' });
    }
  }
  const { min, max } = appVersions ?? {};
  if (min !== undefined && max !== undefined && compareVersions(min, max) > 0) {
    warnings.push({ path: 'rule.appVersions', message: 'The min is above the max: no app gets the CTA.' });
  }
  return warnings;
}
