/**
 * The fixed words of a rule, used by the check of a rule (`checkRule`, `checkFilters`), the types of `rule.ts` and the published JSON
 * Schema (`rule-schema.ts`).
 */
export const actionTypes = ['NUDGE_UI', 'POPUP', 'TOOLTIP', 'NUDGE_ACTION'] as const;
/** Without a template the app SDK throws after the state has moved, or shows nothing and blocks all other CTAs. */
export const typesWithTemplate: readonly string[] = ['NUDGE_ACTION', 'POPUP'];
export const groupOperators = ['AND', 'OR'] as const;
export const propertyTypes = ['string', 'number', 'boolean'] as const;
export const comparisonTypes = ['=', '!=', '>', '<', '>=', '<='] as const;
export const functionOperators = ['+', '-'] as const;
/** An operand that is text: `$.` and the name of a property of the event. */
export const operandForm = '^\\$\\.[\\s\\S]';
/** Deeper than any real filter. Bounded because filters are evaluated recursively, here and in clients. */
export const maxFilterDepth = 16;
/** Size as JSON: every launch sends the rules of all live CTAs. */
export const maxRuleBytes = 256 * 1024;
/** Size as JSON of the filters of a cohort or a goal, which have no rule around them: launches hold those of all cohorts in memory. */
export const maxFilterBytes = 64 * 1024;
