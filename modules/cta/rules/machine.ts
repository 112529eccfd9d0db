import { entryAt } from '../state/string-map.ts';
import { isInEveryObject, type EventData } from './app-event.ts';
import { holdsInApp } from './app-filter.ts';
import type { Action, Transition, WireRule } from './rule-parts.ts';

/** The state in which every state machine starts (docs/contract.md, Rules). */
export const initialState = '0';

/** Whether the rule reacts to an event of this name in any state. */
export const concerns = (
  { stateTransition }: Pick<WireRule, 'stateTransition'>,
  eventName: string,
): boolean => Object.hasOwn(stateTransition, eventName);

/** The state under which apps look up the transitions out of a state: its text read as a whole number. */
export const lookupStateOf = (state: string): string => String(Number.parseInt(state, 10));

/** The transitions that an event may trigger in a state, in the order in which they are tried. */
export const transitionsFrom = (
  { stateTransition }: Pick<WireRule, 'stateTransition'>,
  state: string,
  eventName: string,
): readonly Transition[] => entryAt(entryAt(stateTransition, eventName) ?? {}, lookupStateOf(state)) ?? [];

/**
 * The first transition whose filters hold. `blocked`: whether a state may not be entered; `skip` is called with each such state. Undefined
 * when no filter holds, or when a filter cannot be evaluated.
 */
export function firstThatHolds(
  transitions: readonly Transition[],
  event: EventData,
  blocked: (state: string) => boolean,
  skip: (state: string) => void,
): Transition | undefined {
  try {
    for (const transition of transitions) {
      if (!holdsInApp(transition.filters, event)) continue;
      if (!blocked(transition.transitionTo)) return transition;
      skip(transition.transitionTo);
    }
  } catch {
    // For a property that JavaScript cannot convert, the SDK stops processing the event for this CTA.
  }
  return undefined;
}

/** The server stores no key of more than 512 characters, but simulations keep all of them. */
const maxKeyLength = 64 * 1024;

/**
 * The group whose state machine an event belongs to: the values of `groupByKeys` in that order, joined by `-` as JavaScript joins a list
 * (null is empty, a list its items with commas). Without keys, it is the CTA's own id. Undefined when the event lacks one of the
 * properties, or when the SDK throws and does nothing: for a value without text, and for a key that every object has.
 */
export function groupKeyOf(
  groupByKeys: readonly string[],
  event: EventData,
  ctaId: string,
): string | undefined {
  if (groupByKeys.length === 0) return ctaId;
  const parts: string[] = [];
  let length = 0;
  try {
    for (const name of groupByKeys) {
      if (!event.has(name)) return undefined;
      const part = event.valueOf(name) === null ? '' : event.textOf(name);
      length += part.length + 1;
      if (length > maxKeyLength) return undefined;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  const key = parts.join('-');
  return isInEveryObject(key) ? undefined : key;
}

/** The action on entering a state; undefined if there is none. */
export function actionIn(
  { stateToAction, actions }: Pick<WireRule, 'stateToAction' | 'actions'>,
  state: string,
): Action | undefined {
  const actionId = entryAt(stateToAction, state);
  return actionId === undefined ? undefined : actions.find((action) => action.actionId === actionId);
}
