import type { AnswerableCta, TagDefinition } from './answer.ts';
import { countsOf, showings, tagShowings, usedUp, type Counts, type Limits, type When } from './frequency.ts';
import { compareIds, keyed, valueAt, type Keyed } from './keyed.ts';
import {
  actionIn,
  concerns,
  groupKeyOf,
  initialState,
  isAlive,
  moved,
  transitionOn,
  type AppEvent,
} from './machine.ts';
import { hiddenBy } from './relation.ts';
import type { Action } from './rule.ts';
import type { CtaReset, StateMachine } from './snapshot.ts';
import { activeCtaIds, isTombstone, type UserState } from './state.ts';

/*
 * What an app does with the CTAs it was answered: the rules of CONTRACT §2 as a client follows them. The interface leaves
 * them to the client; what is decided where it is silent stands in docs/decisions/cta.md, "Rules". Everything is pure.
 */

/** What an app keeps of its user. Times are epoch milliseconds. */
export interface Device {
  readonly sessionStart: number | null;
  /** By ctaId. */
  readonly ctas: Keyed<DeviceCta>;
  /** By behaviourTagName. */
  readonly tags: Keyed<DeviceTag>;
}

export interface DeviceCta {
  /** By group key. */
  readonly machines: Keyed<StateMachine>;
  readonly resetAt: readonly number[];
  readonly actionDoneAt: readonly number[];
}

export interface DeviceTag {
  readonly ctasResetAt: readonly CtaReset[];
  readonly activeCtas: readonly string[];
}

/** The CTAs an app was answered, by (priority, ctaId), and their behaviour tags by name. */
export interface Offer {
  readonly ctas: readonly AnswerableCta[];
  readonly tags: ReadonlyMap<string, TagDefinition>;
}

/** Why a CTA did not do what an event asked for. */
export type Hold =
  | 'valid_till'
  | 'group_key'
  | 'machine_count'
  | `frequency.${keyof Counts}`
  | `exposure.${keyof Counts}`
  | 'relation';

/** What came of an event, in order. `counts` are those before this showing. */
export type Outcome = { readonly ctaId: string; readonly groupKey: string } & (
  | { readonly kind: 'transition'; readonly from: string; readonly to: string; readonly started: boolean }
  | { readonly kind: 'action'; readonly action: Action; readonly counts: Counts }
  | { readonly kind: 'reset'; readonly state: string }
  | { readonly kind: 'expired'; readonly state: string }
  | { readonly kind: 'held'; readonly hold: Hold; readonly to: string | null; readonly counts: Counts | null }
);

export const emptyDevice: Device = { sessionStart: null, ctas: keyed(), tags: keyed() };
const emptyCta: DeviceCta = { machines: keyed(), resetAt: [], actionDoneAt: [] };
const emptyTag: DeviceTag = { ctasResetAt: [], activeCtas: [] };

/** What an app has after a launch: the state that the server answers, and a session that begins. */
export function deviceOf(state: UserState, sessionStart: number | null): Device {
  const ctas = keyed<DeviceCta>();
  for (const [ctaId, cta] of Object.entries(state.ctas)) {
    const machines = keyed<StateMachine>();
    for (const [groupKey, machine] of Object.entries(cta.machines)) {
      if (!isTombstone(machine)) machines[groupKey] = machine;
    }
    ctas[ctaId] = { machines, resetAt: cta.resetAt.marks, actionDoneAt: cta.actionDoneAt.marks };
  }
  const tags = keyed<DeviceTag>();
  for (const [name, tag] of Object.entries(state.tags)) {
    tags[name] = { ctasResetAt: tag.ctasResetAt.marks, activeCtas: activeCtaIds(tag) };
  }
  return { sessionStart, ctas, tags };
}

/** A new app session. */
export const sessionBegun = (device: Device, now: number): Device => ({ ...device, sessionStart: now });

/** The first launch of an installed app: CTAs with `resetCTAonFirstLaunch` start over, their machines and marks forgotten. */
export function firstLaunched(device: Device, { ctas }: Offer): Device {
  return ctas
    .filter(({ rule }) => rule.resetCTAonFirstLaunch)
    .reduce((before, cta) => {
      const cleared = withCta(before, cta.ctaId, emptyCta);
      return changedTag(cleared, cta, (tag) => ({
        ctasResetAt: tag.ctasResetAt.filter((mark) => typeof mark === 'number' || mark.ctaId !== cta.ctaId),
        activeCtas: without(tag.activeCtas, cta.ctaId),
      }));
    }, device);
}

/** The user did what the action of a CTA asked for. */
export function actionDone(device: Device, ctaId: string, now: number): Device {
  const cta = valueAt(device.ctas, ctaId) ?? emptyCta;
  return withCta(device, ctaId, { ...cta, actionDoneAt: withMark(cta.actionDoneAt, now) });
}

/** Lets every CTA of the offer, in its order, do what an event makes it do: a CTA sees what those before it did. */
export function take(
  device: Device,
  offer: Offer,
  event: AppEvent,
): { readonly device: Device; readonly outcomes: readonly Outcome[] } {
  const outcomes: Outcome[] = [];
  let now = device;
  for (const cta of offer.ctas) {
    now = withoutExpired(now, cta, event.at, (outcome) => outcomes.push(outcome));
    now = takenBy(now, cta, offer.tags, event, (outcome) => outcomes.push(outcome));
  }
  return { device: now, outcomes };
}

type Tell = (outcome: Outcome) => void;

function withoutExpired(device: Device, cta: AnswerableCta, now: number, tell: Tell): Device {
  const known = valueAt(device.ctas, cta.ctaId);
  if (!known) return device;
  const machines = keyed<StateMachine>();
  for (const [groupKey, machine] of Object.entries(known.machines)) {
    if (isAlive(machine, cta.rule.stateMachineTTL, now)) machines[groupKey] = machine;
    else tell({ kind: 'expired', ctaId: cta.ctaId, groupKey, state: machine.currentState });
  }
  if (Object.keys(machines).length === Object.keys(known.machines).length) return device;
  return settled(withCta(device, cta.ctaId, { ...known, machines }), cta);
}

function takenBy(
  device: Device,
  cta: AnswerableCta,
  tags: Offer['tags'],
  event: AppEvent,
  tell: Tell,
): Device {
  const { ctaId, rule } = cta;
  if (!concerns(rule, event.name)) return device;
  const groupKey = groupKeyOf(rule.groupByConfig.groupByKeys, event.properties);
  const held = (hold: Hold, to: string | null = null, counts: Counts | null = null) => {
    tell({ kind: 'held', ctaId, groupKey: groupKey ?? '', hold, to, counts });
    return device;
  };
  if (groupKey === undefined) return held('group_key');

  const known = valueAt(device.ctas, ctaId) ?? emptyCta;
  const machine = valueAt(known.machines, groupKey);
  const from = machine?.currentState ?? initialState;
  const to = transitionOn(rule, from, event)?.transitionTo;
  if (to === undefined) return device;

  if (event.at > (rule.ctaValidTill ?? Infinity)) return held('valid_till', to);
  const most = rule.groupByConfig.maxActiveStateMachineCount ?? Infinity;
  if (!machine && Object.keys(known.machines).length >= most) return held('machine_count', to);

  const action = actionIn(rule, to);
  const goesOn = machine !== undefined && actionIn(rule, from) !== undefined;
  const when = { now: event.at, sessionStart: device.sessionStart };
  const { hold, counts } = showing(device, cta, tags, when);
  // From one action to the next is the same showing: a limit must not break it off in the middle.
  if (action && !goesOn && hold) return held(hold, to, counts);

  tell({ kind: 'transition', ctaId, groupKey, from, to, started: machine === undefined });
  if (action) tell({ kind: 'action', ctaId, groupKey, action, counts });
  const after = withMachine(device, cta, groupKey, moved(machine, to, rule, event), action !== undefined);
  if (!rule.resetStates.includes(to)) return after;
  tell({ kind: 'reset', ctaId, groupKey, state: to });
  return withReset(after, cta, groupKey, event.at);
}

/**
 * Whether a CTA may begin a showing now, and how often it was shown: its own frequency, then the exposure of its
 * behaviour tag, then the relations of that tag, the first that holds it back. `hold` is null when it may.
 */
export function showing(
  device: Device,
  { ctaId, rule, behaviourTagName }: Pick<AnswerableCta, 'ctaId' | 'rule' | 'behaviourTagName'>,
  tags: Offer['tags'],
  when: When,
): { readonly hold: Hold | null; readonly counts: Counts } {
  const limits: Limits = { ...rule.frequency, lifespan: rule.frequency.lifeSpan };
  const counts = countsOf(showings(valueAt(device.ctas, ctaId) ?? emptyCta), limits, when);
  const frequency = usedUp(limits, counts);
  if (frequency) return { hold: `frequency.${frequency}`, counts };

  const definition = behaviourTagName === null ? undefined : tags.get(behaviourTagName);
  if (!definition) return { hold: null, counts };
  const tag = valueAt(device.tags, definition.behaviourTagName) ?? emptyTag;
  const { exposureRule = {}, ctaRelation = {} } = definition;
  const exposure = usedUp(exposureRule, countsOf(tagShowings(tag.ctasResetAt), exposureRule, when));
  if (exposure) return { hold: `exposure.${exposure}`, counts };
  const hides = hiddenBy(ctaRelation, tag.activeCtas, ctaId);
  return { hold: hides === null ? null : 'relation', counts };
}

const withCta = (device: Device, ctaId: string, cta: DeviceCta): Device => ({
  ...device,
  ctas: Object.assign(keyed(device.ctas), { [ctaId]: cta }),
});

/** A CTA whose action ran is active in its behaviour tag until its last machine ends. */
function withMachine(
  device: Device,
  cta: AnswerableCta,
  groupKey: string,
  machine: StateMachine,
  acted: boolean,
): Device {
  const known = valueAt(device.ctas, cta.ctaId) ?? emptyCta;
  const machines = keyed(known.machines);
  machines[groupKey] = machine;
  const after = withCta(device, cta.ctaId, { ...known, machines });
  if (!acted) return after;
  return changedTag(after, cta, (tag) => ({
    ...tag,
    activeCtas: [...without(tag.activeCtas, cta.ctaId), cta.ctaId].sort(compareIds),
  }));
}

function withReset(device: Device, cta: AnswerableCta, groupKey: string, at: number): Device {
  const known = valueAt(device.ctas, cta.ctaId) ?? emptyCta;
  const machines = keyed(known.machines);
  delete machines[groupKey];
  const after = withCta(device, cta.ctaId, { ...known, machines, resetAt: withMark(known.resetAt, at) });
  const marked = changedTag(after, cta, (tag) => ({
    ...tag,
    ctasResetAt: [...tag.ctasResetAt, { ctaId: cta.ctaId, resetAt: at }],
  }));
  return settled(marked, cta);
}

/** A CTA without machines is not active in its tag. */
function settled(device: Device, cta: AnswerableCta): Device {
  if (Object.keys(valueAt(device.ctas, cta.ctaId)?.machines ?? {}).length > 0) return device;
  return changedTag(device, cta, (tag) => ({ ...tag, activeCtas: without(tag.activeCtas, cta.ctaId) }));
}

function changedTag(
  device: Device,
  { behaviourTagName }: AnswerableCta,
  change: (tag: DeviceTag) => DeviceTag,
): Device {
  if (behaviourTagName === null) return device;
  const tag = change(valueAt(device.tags, behaviourTagName) ?? emptyTag);
  return { ...device, tags: Object.assign(keyed(device.tags), { [behaviourTagName]: tag }) };
}

const without = (ids: readonly string[], ctaId: string): readonly string[] =>
  ids.filter((id) => id !== ctaId);

const withMark = (marks: readonly number[], mark: number): readonly number[] =>
  marks.includes(mark) ? marks : [...marks, mark].sort((left, right) => left - right);
