import type { RuleInput } from '../rules/rule.ts';

export const action = (actionId: string) => ({ actionId, type: 'POPUP' as const, template: {} });
export const leaf = {
  propertyName: 'price',
  propertyType: 'number',
  comparisonType: '>',
  comparisonValue: 5,
};

export const sound: RuleInput = {
  stateToAction: { '1': 'a' },
  resetStates: ['2'],
  stateTransition: { opened: { '0': [{ transitionTo: '1' }] }, closed: { '1': [{ transitionTo: '2' }] } },
  actions: [action('a')],
};

/** An experiment with half of the users in each of two arms. */
export const twoArms = {
  key: 'e',
  seed: 'e',
  coverage: 1,
  variants: [
    { key: 'a', weight: 0.5 },
    { key: 'b', weight: 0.5 },
  ],
};

/** A sound rule whose first transition has these filters. */
export const filtered = (filters: unknown) =>
  ({
    ...sound,
    stateTransition: { opened: { '0': [{ transitionTo: '1', filters }, { transitionTo: '2' }] } },
  }) as RuleInput;
export const computed = (functions: unknown) =>
  filtered({ operator: 'AND', filter: [{ ...leaf, functions }] });
export const nest = (levels: number): unknown =>
  levels === 0 ? leaf : { operator: 'AND', filter: [nest(levels - 1)] };
export const at = 'stateTransition.opened.0[0].filters';
