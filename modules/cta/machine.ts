import { passes, type Properties } from './filter.ts';
import { keyed, valueAt } from './keyed.ts';
import { endlessTTL, type Action, type Transition, type WireRule } from './rule.ts';
import { snapshotLimits, type StateMachine } from './snapshot.ts';

/** Every state machine begins here (CONTRACT §2). */
export const initialState = '0';

/** The key of the one state machine of a CTA that groups by nothing. */
export const onlyGroup = 'default';

/** Something that happened in an app. `at` is epoch milliseconds. */
export interface AppEvent {
  readonly name: string;
  readonly at: number;
  readonly properties: Properties;
}

/**
 * The transition that an event sets off in a state: the first of the list whose filters hold (CONTRACT §2). Undefined
 * when the rule has none for this event in this state, or none that holds. Pure.
 */
export function transitionOn(
  { stateTransition }: Pick<WireRule, 'stateTransition'>,
  state: string,
  { name, at, properties }: AppEvent,
): Transition | undefined {
  const ofState = valueAt(valueAt(stateTransition, name) ?? {}, state) ?? [];
  return ofState.find(({ filters }) => passes(filters, { properties, now: at }));
}

/** Whether the rule does anything on an event of this name, in whatever state. */
export const concerns = (
  { stateTransition }: Pick<WireRule, 'stateTransition'>,
  eventName: string,
): boolean => Object.hasOwn(stateTransition, eventName);

/**
 * The group whose state machine an event belongs to: the values of `groupByKeys` in that order, joined by `|`, where `|`
 * and `\` inside a value have a `\` before them, so that no two groups have one key. {@link onlyGroup} without keys.
 * Undefined when the event lacks one of the properties, or has no text, number or boolean in it, or the key would be
 * longer than clients may send.
 */
export function groupKeyOf(groupByKeys: readonly string[], properties: Properties): string | undefined {
  if (groupByKeys.length === 0) return onlyGroup;
  const parts: string[] = [];
  for (const name of groupByKeys) {
    const value = valueAt(properties, name);
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isFinite(value)) return undefined;
    parts.push(String(value).replace(/[\\|]/g, '\\$&'));
  }
  const key = parts.join('|');
  return key.length <= snapshotLimits.groupKeyLength ? key : undefined;
}

/** Whether a machine is within its time to live: it ends when it is older than `ttl` milliseconds (CONTRACT §2, step 2). */
export function isAlive(
  { createdAt }: Pick<StateMachine, 'createdAt'>,
  ttl: number | undefined,
  now: number,
) {
  return ttl === undefined || ttl === 0 || ttl === endlessTTL || now - createdAt <= ttl;
}

/**
 * The machine after a transition; a new one when there was none. Its context keeps the event's properties that
 * `contextParams` names over those of earlier events. A clock that was set back does not make it older than it was.
 */
export function moved(
  machine: StateMachine | undefined,
  to: string,
  { contextParams }: Pick<WireRule, 'contextParams'>,
  { at, properties }: AppEvent,
): StateMachine {
  const context = keyed<unknown>(machine?.context);
  for (const name of contextParams) {
    if (Object.hasOwn(properties, name)) context[name] = properties[name];
  }
  return {
    currentState: to,
    lastTransitionAt: Math.max(at, machine?.lastTransitionAt ?? at),
    ...(Object.keys(context).length > 0 && { context }),
    createdAt: machine?.createdAt ?? at,
  };
}

/** What entering a state does; undefined when nothing. */
export function actionIn(
  { stateToAction, actions }: Pick<WireRule, 'stateToAction' | 'actions'>,
  state: string,
): Action | undefined {
  const actionId = valueAt(stateToAction, state);
  return actionId === undefined ? undefined : actions.find((action) => action.actionId === actionId);
}
