import type { AppCta } from '../rules/app-cta.ts';
import {
  eventData,
  isInEveryObject,
  type AppFacts,
  type AppEvent,
  type EventData,
} from '../rules/app-event.ts';
import {
  actionIn,
  concerns,
  firstThatHolds,
  groupKeyOf,
  initialState,
  transitionsFrom,
} from '../rules/machine.ts';
import type { CtaOutcome, Happened, Hold } from '../rules/outcome.ts';
import { enters } from '../rules/relation.ts';
import type { Action } from '../rules/rule-parts.ts';
import { isAlive } from '../state/time-to-live.ts';
import { closedAppGate, ctaOn, tagOn, type Device, type DeviceMachine, type Offer } from './device.ts';

/*
 * The reaction of the deployed app SDK to an event, including its oddities, which simulate-cta and explain-cta predict. The rules are in
 * docs/decisions/cta.md, "Rules"; app-sdk.test.ts compares this file with the SDK.
 */

/**
 * Handles an event for every CTA of the offer, in its order, and changes the device. Yields after each CTA.
 * @param onThrow is told what a CTA threw, and the others go on; without it the error ends the event. The server checks rules when they are
 * saved, but an app may get those of a newer server.
 */
export function* handleEvent(
  device: Device,
  offer: Offer,
  event: AppEvent,
  app: AppFacts,
  onThrow?: (ctaId: string, error: unknown) => void,
): Generator<void, readonly CtaOutcome[]> {
  const outcomes: CtaOutcome[] = [];
  const data = eventData(event, app);
  let actionRan = false;
  for (const cta of offer.ctas) {
    if (!concerns(cta.rule, event.name)) continue;
    try {
      actionRan =
        handleEventForCta(device, cta, offer.tags, event.name, data, actionRan, outcomes) || actionRan;
    } catch (error) {
      if (!onThrow) throw error;
      onThrow(cta.ctaId, error);
    }
    yield;
  }
  return outcomes;
}

/** @returns whether an action ran that blocks any other action on this event. */
function handleEventForCta(
  device: Device,
  cta: AppCta,
  tags: Offer['tags'],
  eventName: string,
  event: EventData,
  actionRan: boolean,
  outcomes: CtaOutcome[],
): boolean {
  const { ctaId, rule } = cta;
  const groupKey = groupKeyOf(rule.groupByConfig.groupByKeys, event, ctaId);
  const at = { ctaId, groupKey: groupKey ?? '' };
  const tell = (happened: Happened) => outcomes.push(Object.assign(happened, at));
  const held = (hold: Hold, to: string | null = null) => {
    tell({ kind: 'held', hold, to, counts });
    return false;
  };
  const { hold, counts } = closedAppGate(device, cta, tags, event.at);
  if (hold) return held(hold);
  if (groupKey === undefined) return held('group_key');

  const { machines } = ctaOn(device, ctaId);
  const known = machines.get(groupKey);
  if (!known && machines.size >= (rule.groupByConfig.maxActiveStateMachineCount ?? Infinity)) {
    return held('machine_count');
  }
  const machine = known ?? newMachine(event.at);
  if (!known) machines.set(groupKey, machine);
  if (!isAlive(machine, rule.stateMachineTTL, event.at)) {
    machines.delete(groupKey);
    tell({ kind: 'expired', state: machine.currentState });
    return false;
  }

  const from = machine.currentState;
  const to = firstThatHolds(
    transitionsFrom(rule, from, eventName),
    event,
    (state) => actionRan && actionIn(rule, state) !== undefined,
    (state) => held('one_action', state),
  )?.transitionTo;
  if (to === undefined) {
    if (!known) tell({ kind: 'started', state: from });
    return false;
  }
  machine.currentState = to;
  machine.sent = true;
  gatherContext(machine, rule.contextParams, event);
  tell({ kind: 'transition', from, to, started: !known });

  let blocks = false;
  const action = actionIn(rule, to);
  if (action) {
    const isNudge = action.type === 'POPUP' || action.type === 'NUDGE_UI';
    const isWhole = !isNudge || rule.contextParams.every((name) => isIn(machine.context, name));
    if (!isWhole) held('context', to);
    else if (isNudge && (action.template ?? null) === null) held('template', to);
    else tell({ kind: 'action', action, counts, context: machine.context });
    blocks = isWhole && action.type !== 'TOOLTIP';
    ctaOn(device, ctaId).actionDoneAt.push(event.at);
    enterTag(device, cta, tags);
  }
  if (rule.resetStates.includes(to)) {
    tell({ kind: 'reset', state: to });
    resetMachine(device, cta, tags, groupKey, event.at);
  }
  return blocks;
}

/** Milliseconds between an action and its appearance. Tooltips have no delay. */
export const delayOf = ({ type, config }: Action): number =>
  type === 'TOOLTIP' ? 0 : (config?.triggerDelay ?? 0);

const newMachine = (at: number): DeviceMachine => ({
  currentState: initialState,
  createdAt: at,
  lastTransitionAt: at,
  context: Object.create(null) as Record<string, unknown>,
  contextSize: 0,
  sent: false,
});

/** The event's values of `contextParams` replace those of earlier events. */
function gatherContext(machine: DeviceMachine, contextParams: readonly string[], event: EventData): void {
  for (const name of contextParams) {
    if (!event.has(name) || isInEveryObject(name)) continue;
    if (Object.hasOwn(machine.context, name)) {
      machine.contextSize -= name.length + 4 + jsonLength(machine.context[name]);
    }
    const value = event.valueOf(name);
    machine.context[name] = value;
    machine.contextSize += name.length + 4 + jsonLength(value);
  }
}

const jsonLength = (value: unknown): number => JSON.stringify(value).length;

const isIn = (context: Record<string, unknown>, name: string): boolean =>
  Object.hasOwn(context, name) || isInEveryObject(name);

function enterTag(device: Device, { ctaId, behaviourTagName }: AppCta, tags: Offer['tags']): void {
  const relation = behaviourTagName === null ? undefined : tags.get(behaviourTagName)?.ctaRelation;
  if (behaviourTagName === null || !relation) return;
  const { activeCtas } = tagOn(device, behaviourTagName);
  if (enters(relation, activeCtas, ctaId)) activeCtas.push(ctaId);
}

/** The reset counts for the CTA, and for its behaviour tag if the tag has limits. */
function resetMachine(
  device: Device,
  { ctaId, behaviourTagName }: AppCta,
  tags: Offer['tags'],
  groupKey: string,
  at: number,
): void {
  const cta = ctaOn(device, ctaId);
  cta.machines.delete(groupKey);
  cta.resetInSession.push(at);
  if (behaviourTagName === null || tags.get(behaviourTagName)?.exposureRule === undefined) return;
  tagOn(device, behaviourTagName).resetInSession.push({ ctaId, resetAt: at });
}
