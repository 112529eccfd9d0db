import { Type } from '@sinclair/typebox';
import type { Problem } from '../../../core/base/problem.ts';
import { fail } from '../base/errors.ts';
import { tagName } from '../base/parameters.ts';
import { isOfWholeBuckets, type CohortDefinition, type CohortKind } from '../rules/cohort.ts';
import { checkStoredFilters } from '../rules/filter-check.ts';
import type { FilterGroup } from '../rules/rule-parts.ts';

export const cohortNameParameter = tagName(
  'The cohort, as rules name it in cohortEligibility; list-cohorts lists them.',
);

export const cohortDefinitionParameters = {
  percentage: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'For kind percentage: percent of all users, in steps of 0.01. When it grows, its users stay in it.',
    }),
  ),
  filters: Type.Optional(
    Type.Unsafe<FilterGroup>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'For kind attributes: {operator: AND|OR, filter: [leaf or group]} as in the rule of a CTA, on the attributes that ' +
            'set-user-attributes stored. A missing attribute fails its leaf; at most 64 KiB.',
        },
      ),
    ),
  ),
};

interface GivenDefinition {
  readonly cohortName: string;
  readonly kind: CohortKind;
  readonly userIds?: readonly string[];
  readonly percentage?: number;
  readonly seed?: string;
  readonly filters?: FilterGroup;
}

/**
 * The definition of a cohort from the parameters of a call.
 * @throws Fault INVALID_COHORT naming a parameter that is missing, invalid, or meant for another kind of cohort.
 */
export function cohortDefinitionOf(given: GivenDefinition): CohortDefinition {
  const { cohortName, kind, percentage, seed, filters } = given;
  requireParametersOfKind(given);
  switch (kind) {
    case 'list':
      return { kind };
    case 'percentage':
      if (percentage === undefined) throw invalid('percentage', 'is required for kind percentage');
      if (!isOfWholeBuckets(percentage)) throw invalid('percentage', 'must be a multiple of 0.01');
      return { kind, percentage, seed: seed ?? cohortName };
    case 'attributes': {
      if (filters === undefined) throw invalid('filters', 'is required for kind attributes');
      const problems: Problem[] = [];
      checkStoredFilters(filters, 'filters', (path, message) => problems.push({ path, message }));
      const [first] = problems;
      if (first) throw invalid(first.path, first.message);
      return { kind, filters };
    }
  }
}

function requireParametersOfKind({ kind, userIds, percentage, seed, filters }: GivenDefinition): void {
  const kindsOfParameters: Record<string, [unknown, CohortKind]> = {
    userIds: [userIds, 'list'],
    percentage: [percentage, 'percentage'],
    seed: [seed, 'percentage'],
    filters: [filters, 'attributes'],
  };
  for (const [parameter, [value, kindOfParameter]] of Object.entries(kindsOfParameters)) {
    if (value === undefined || kindOfParameter === kind) continue;
    throw invalid(parameter, `belongs to kind ${kindOfParameter}, not to ${kind}`);
  }
}

const invalid = (parameter: string, message: string) =>
  fail.INVALID_COHORT(`${parameter} ${message}.`, { cause: parameter });
