import { isJson, listOf, objectOf, textsOf, without, withValue, type Json, type Path } from './json-path.ts';
import { t } from '../../texts/text.ts';

/* The state machine of a rule as a graph, and changes of the graph as changes of the rule. */

/** The state in which every user begins. */
export const initialState = '0';

/** Which transition: the event, the state, and the place in the list of both. */
export interface TransitionRef {
  readonly event: string;
  readonly from: string;
  readonly index: number;
}

export interface DrawnTransition extends TransitionRef {
  readonly to: string;
  readonly filters: unknown;
}

export interface DrawnState {
  readonly state: string;
  /** What runs when it is entered. */
  readonly actionId: string | null;
  readonly isReset: boolean;
}

export const pathOf = ({ event, from, index }: TransitionRef): Path => [
  'rule',
  'stateTransition',
  event,
  from,
  index,
];

/** All transitions of a rule, whatever else is wrong with it. */
export const transitionsOf = (rule: Json): readonly DrawnTransition[] =>
  Object.entries(objectOf(rule['stateTransition'])).flatMap(([event, byState]) =>
    Object.entries(objectOf(byState)).flatMap(([from, list]) =>
      listOf(list).map((transition, index) => {
        const { transitionTo, filters } = objectOf(transition);
        return { event, from, index, to: typeof transitionTo === 'string' ? transitionTo : '', filters };
      }),
    ),
  );

const byNumber = (one: string, other: string): number =>
  Number(one) - Number(other) || one.localeCompare(other);

/** All states that a rule names, the initial one first. */
export function statesOf(rule: Json): readonly DrawnState[] {
  const actions = objectOf(rule['stateToAction']);
  const resets = textsOf(rule['resetStates']);
  const names = [
    initialState,
    ...transitionsOf(rule).flatMap(({ from, to }) => [from, to]),
    ...Object.keys(actions),
    ...resets,
  ];
  return [...new Set(names.filter((name) => name !== ''))].toSorted(byNumber).map((state) => ({
    state,
    actionId: Object.hasOwn(actions, state) ? String(actions[state]) : null,
    isReset: resets.includes(state),
  }));
}

/** A number that no state has yet. */
export function nextState(rule: Json): string {
  const taken = new Set(statesOf(rule).map(({ state }) => state));
  let next = 1;
  while (taken.has(String(next))) next++;
  return String(next);
}

interface Changed {
  readonly rule: Json;
  readonly ref: TransitionRef;
}

const listAt = (rule: Json, event: string, from: string): readonly unknown[] =>
  listOf(objectOf(objectOf(rule['stateTransition'])[event])[from]);

const withList = (rule: Json, event: string, from: string, list: readonly unknown[]): Json =>
  objectOf(withValue(rule, ['stateTransition', event, from], list));

/** The last one of its event and state: those before it are tried first. */
export function addTransition(
  rule: Json,
  { event, from, to }: Omit<DrawnTransition, 'index' | 'filters'>,
): Changed {
  const list = listAt(rule, event, from);
  return {
    rule: withList(rule, event, from, [...list, { transitionTo: to }]),
    ref: { event, from, index: list.length },
  };
}

export function removeTransition(rule: Json, { event, from, index }: TransitionRef): Json {
  const list = listAt(rule, event, from).toSpliced(index, 1);
  if (list.length > 0) return withList(rule, event, from, list);
  const states = objectOf(without(objectOf(objectOf(rule['stateTransition'])[event]), [from]));
  return objectOf(
    Object.keys(states).length > 0
      ? withValue(rule, ['stateTransition', event], states)
      : without(rule, ['stateTransition', event]),
  );
}

/** Gives a transition another event, state or target; its filters stay. */
export function changeTransition(
  rule: Json,
  ref: TransitionRef,
  to: Omit<DrawnTransition, 'index' | 'filters'>,
): Changed {
  const own = objectOf(listAt(rule, ref.event, ref.from)[ref.index]);
  const changed = { ...own, transitionTo: to.to };
  if (to.event === ref.event && to.from === ref.from) {
    const list = listAt(rule, ref.event, ref.from).with(ref.index, changed);
    return { rule: withList(rule, ref.event, ref.from, list), ref };
  }
  const rest = removeTransition(rule, ref);
  const list = listAt(rest, to.event, to.from);
  return {
    rule: withList(rest, to.event, to.from, [...list, changed]),
    ref: { event: to.event, from: to.from, index: list.length },
  };
}

/** Tries a transition earlier (-1) or later (1) than its neighbour. */
export function moveTransition(rule: Json, ref: TransitionRef, by: -1 | 1): Changed {
  const list = listAt(rule, ref.event, ref.from);
  const index = ref.index + by;
  if (index < 0 || index >= list.length) return { rule, ref };
  const moved = list.with(ref.index, list[index]).with(index, list[ref.index]);
  return { rule: withList(rule, ref.event, ref.from, moved), ref: { ...ref, index } };
}

export const setAction = (rule: Json, state: string, actionId: string | null): Json =>
  objectOf(
    actionId === null
      ? without(rule, ['stateToAction', state])
      : withValue(rule, ['stateToAction', state], actionId),
  );

export function setReset(rule: Json, state: string, isReset: boolean): Json {
  const others = textsOf(rule['resetStates']).filter((one) => one !== state);
  const states = isReset ? [...others, state] : others;
  return objectOf(
    states.length === 0 ? without(rule, ['resetStates']) : withValue(rule, ['resetStates'], states),
  );
}

/** Removes a state with every transition from it and to it. */
export function removeState(rule: Json, state: string): Json {
  let rest = setReset(setAction(rule, state, null), state, false);
  for (const one of transitionsOf(rule).toReversed())
    if (one.from === state || one.to === state) rest = removeTransition(rest, one);
  return rest;
}

/** Gives a state another number wherever the rule names it. */
export function renameState(rule: Json, state: string, to: string): Json {
  const renamed = (name: string) => (name === state ? to : name);
  let next: Json = { ...rule, stateTransition: {} };
  for (const { event, from, index, to: target } of transitionsOf(rule)) {
    const own = objectOf(listAt(rule, event, from)[index]);
    const list = listAt(next, event, renamed(from));
    next = withList(next, event, renamed(from), [...list, { ...own, transitionTo: renamed(target) }]);
  }
  const { actionId = null, isReset = false } = statesOf(rule).find((one) => one.state === state) ?? {};
  if (actionId !== null) next = setAction(setAction(next, state, null), to, actionId);
  return isReset ? setReset(setReset(next, state, false), to, true) : next;
}

/** Gives an action another id, also where states name it. */
export function renameAction(rule: Json, index: number, actionId: string): Json {
  const actions = listOf(rule['actions']);
  const own = objectOf(actions[index]);
  const before = own['actionId'];
  const stateToAction = Object.fromEntries(
    Object.entries(objectOf(rule['stateToAction'])).map(([state, id]) => [
      state,
      id === before ? actionId : id,
    ]),
  );
  return { ...rule, stateToAction, actions: actions.with(index, { ...own, actionId }) };
}

/** A filter as a person would say it: `amount > 50 and (country = DE or country = AT)`. */
export function filterText(filters: unknown): string {
  if (!isJson(filters)) return '';
  const { operator, filter, propertyName, comparisonType, comparisonValue, functions } = filters;
  if (Array.isArray(filter)) {
    const word = operator === 'OR' ? t(' or ') : t(' and ');
    return listOf(filter)
      .map((part) =>
        isJson(part) && Array.isArray(part['filter']) ? `(${filterText(part)})` : filterText(part),
      )
      .join(word);
  }
  if (propertyName === undefined) return '';
  const left = isJson(functions)
    ? t('{propertyName} (calculated)', { propertyName: String(propertyName) })
    : String(propertyName);
  return `${left} ${String(comparisonType)} ${comparisonValue === undefined ? '' : String(comparisonValue)}`.trim();
}
