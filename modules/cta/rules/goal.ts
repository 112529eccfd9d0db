import { filterPasses, type Properties } from './filter.ts';
import type { FilterGroup } from './rule-parts.ts';
import type { RuleInput } from './rule.ts';
import { transitionPathsOf } from './transition-check.ts';
import type { Warning } from './warning.ts';

/** How a goal is reached: by an arrival in a state of the CTA, or by a custom event that the app sends. */
export type GoalEvent =
  | { readonly state: string }
  | { readonly event: string; readonly filters?: FilterGroup };

/** The time in which a goal counts, unless given. */
export const defaultWindowHours = 168;

/** Whether the details of an event, JSON as it is stored, pass the filters of a goal. @param at the time of the event, which filters may compare. */
export const passesGoal = (filters: FilterGroup | undefined, details: string | null, at: number): boolean =>
  filters === undefined ||
  filterPasses(filters, { properties: JSON.parse(details ?? '{}') as Properties, now: at });

/** Warns about a state that no transition of the rule leads to: a misspelled state would count nobody, and say nothing. */
export function goalWarnings(on: GoalEvent, { stateTransition }: RuleInput): Warning[] {
  if (!('state' in on)) return [];
  if (transitionPathsOf(stateTransition).some(({ to }) => to === on.state)) return [];
  return [
    {
      path: 'on.state',
      message: `No transition of the rule leads to the state "${on.state}": nobody reaches the goal while that is so.`,
    },
  ];
}
