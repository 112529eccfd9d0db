import { compareVersions } from '../rules/app-version.ts';
import { refuse } from '../errors.ts';
import { checkRule } from '../rules/rule-check.ts';
import { ruleWarnings } from '../rules/rule-warnings.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { CtaFields } from '../schema.ts';
import type { Warning } from '../rules/warning.ts';

/** Bytes of a rule as JSON: every launch answers the rules of all CTAs that are live. */
const ruleLimit = 256 * 1024;
/** How many faults one answer names. */
const shownFaults = 20;

/**
 * Refuses what may not be saved. Pure.
 * @throws Fault INVALID_RULE naming the place of each fault, INVALID_PERIOD.
 */
export function requireValid({ rule, startTime, endTime }: CtaFields): void {
  if (startTime !== null && endTime !== null && endTime <= startTime) {
    throw refuse.INVALID_PERIOD('endTime must be later than startTime.', { cause: 'endTime' });
  }
  const faults = checkRule(rule);
  const first = faults[0];
  if (first) {
    const named = faults.slice(0, shownFaults).map(({ path, problem }) => `rule.${path} ${problem}`);
    const rest = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : '';
    throw refuse.INVALID_RULE(`The rule cannot be saved: ${named.join('; ')}${rest}.`, {
      cause: `rule.${first.path}`,
    });
  }
  if (Buffer.byteLength(JSON.stringify(rule)) > ruleLimit) {
    throw refuse.INVALID_RULE(`The rule cannot be saved: it is larger than ${ruleLimit} bytes of JSON.`, {
      cause: 'rule',
    });
  }
}

/** What may be saved and yet surprises. `known` are the cohorts that the tenant has. Pure. */
export function warningsOf({ rule, endTime }: CtaFields, known: ReadonlySet<string>, now: number): Warning[] {
  const warnings = ruleWarnings(rule).map(({ path, message }) => ({ path: `rule.${path}`, message }));
  if (endTime !== null && endTime <= now) {
    warnings.push({ path: 'endTime', message: 'The endTime has passed: the CTA cannot go live.' });
  }
  return [...warnings, ...audienceWarnings(rule, known)];
}

function audienceWarnings(
  { cohortEligibility, appVersions }: RuleInput,
  known: ReadonlySet<string>,
): Warning[] {
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
