import { inTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import type { ConfigurationGroup, ConfigurationValue } from '../configurations/configuration-store.ts';
import { everyCombination, pairwise } from '../configurations/pairwise.ts';
import { requireFew } from './plan-store.ts';

/** The configurations of an entry as given: of which groups, or the values of each run. */
export interface GivenConfigurations {
  readonly configurations?: 'all' | 'pairwise' | readonly (readonly number[])[];
  readonly groupIds?: readonly number[];
}

/** The configurations of one run: at most one value of each group, in the order of the groups. */
export type Combination = readonly ConfigurationValue[];

/**
 * The combinations of an entry: none is one run without configurations. Yields to other requests.
 * @param groups those of the project.
 * @throws Fault PLAN_TOO_LARGE, CONFIGURATION_GROUP_NOT_FOUND, INVALID_REQUEST.
 */
export async function combinationsOf(
  { configurations, groupIds }: GivenConfigurations,
  groups: readonly ConfigurationGroup[],
  signal: AbortSignal,
): Promise<readonly Combination[]> {
  if (configurations === undefined) return [[]];
  if (typeof configurations !== 'string') return givenCombinations(configurations, groups);
  const chosen = chosenGroups(groupIds, groups).filter(({ values }) => values.length > 0);
  if (chosen.length === 0)
    throw fail.INVALID_REQUEST('The project has no configuration group with values.', {
      cause: 'entries',
      tip: 'Use create-configuration-group first, or leave out configurations.',
    });
  const sizes = chosen.map(({ values }) => values.length);
  const [largest = 1, second = 1] = sizes.toSorted((a, b) => b - a);
  // Checked before anything is computed: it is the least number of rows.
  requireFew(
    configurations === 'all' ? sizes.reduce((product, size) => product * size, 1) : largest * second,
  );
  const rows = configurations === 'all' ? everyCombination(sizes) : await inTurns(pairwise(sizes), signal);
  return rows.map((row) =>
    row.flatMap((at, index) => {
      const group = chosen[index];
      const value = group?.values[at];
      return group && value ? [valueOf(group, value)] : [];
    }),
  );
}

const valueOf = (
  group: ConfigurationGroup,
  value: ConfigurationGroup['values'][number],
): ConfigurationValue => ({
  valueId: value.id,
  groupId: group.id,
  group: group.name,
  value: value.name,
});

function chosenGroups(
  groupIds: readonly number[] | undefined,
  groups: readonly ConfigurationGroup[],
): readonly ConfigurationGroup[] {
  if (groupIds === undefined) return groups;
  const byId = new Map(groups.map((group) => [group.id, group]));
  for (const id of groupIds)
    if (!byId.has(id))
      throw fail.CONFIGURATION_GROUP_NOT_FOUND(`There is no configuration group ${id} in this project.`, {
        cause: 'entries',
      });
  return groups.filter(({ id }) => groupIds.includes(id));
}

function givenCombinations(
  given: readonly (readonly number[])[],
  groups: readonly ConfigurationGroup[],
): readonly Combination[] {
  requireFew(given.length);
  const byId = new Map(
    groups.flatMap((group) => group.values.map((value) => [value.id, valueOf(group, value)] as const)),
  );
  return given.map((ids, index) => {
    const values = ids.map((id) => {
      const value = byId.get(id);
      if (value) return value;
      throw fail.NOT_IN_PROJECT(`configurations[${index}] has ${id}, which is no value of the project.`, {
        cause: 'entries',
        tip: 'Use get-configuration-groups to see the values of each group.',
      });
    });
    if (new Set(values.map(({ groupId }) => groupId)).size < values.length)
      throw fail.INVALID_REQUEST(`configurations[${index}] has two values of one group.`, {
        cause: 'entries',
        tip: 'Give at most one value of each group; each list is one run.',
      });
    return values.toSorted((a, b) => a.groupId - b.groupId);
  });
}
