import type { AppCta } from '../rules/app-cta.ts';
import { showCountsOf, reachedLimitOf, type Limits } from '../rules/frequency.ts';
import type { Hold, ShowCounts } from '../rules/outcome.ts';
import { mayAct } from '../rules/relation.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import type { CtaReset, StateMachine } from '../state/snapshot.ts';
import { stringMap } from '../state/string-map.ts';
import { isAlive } from '../state/time-to-live.ts';
import { activeCtaIds, isTombstone, type UserState } from '../state/user-state.ts';

/*
 * The data that the deployed app SDK keeps about its user, and the gates that it checks at every event. Its reaction to an event is in
 * app-engine.ts. A device is changed in place: simulations play thousands of events, and a copy for each was quadratic.
 */
export interface Device {
  /** By ctaId. */
  readonly ctas: Map<string, DeviceCta>;
  /** By behaviourTagName. */
  readonly tags: Map<string, DeviceTag>;
}

interface DeviceCta {
  /** By group key. */
  readonly machines: Map<string, DeviceMachine>;
  /** Resets from earlier sessions that the app counts. */
  resetAt: readonly number[];
  resetInSession: number[];
  actionDoneAt: number[];
  /** Resets that the server has but the app forgot in a first launch: they return with the next launch. */
  resetOnServer: readonly number[];
}

export interface DeviceMachine {
  currentState: string;
  readonly createdAt: number;
  /** The SDK sets this once and never advances it. */
  readonly lastTransitionAt: number;
  readonly context: Record<string, unknown>;
  /** Size of the context as JSON. */
  contextSize: number;
  /** Whether the server knows the machine: it is sent with its first transition. */
  sent: boolean;
}

interface DeviceTag {
  ctasResetAt: readonly CtaReset[];
  resetInSession: CtaReset[];
  activeCtas: string[];
}

/** The CTAs that a launch sent to the app, by (priority, ctaId), and their behaviour tags by name. */
export interface Offer {
  readonly ctas: readonly AppCta[];
  readonly tags: ReadonlyMap<string, TagDefinition>;
}

/** The device of an app after a launch, derived from the state that the server stores of its user. */
export function deviceOf(state: UserState): Device {
  const ctas = new Map<string, DeviceCta>();
  for (const [ctaId, cta] of Object.entries(state.ctas)) {
    const known = newCta();
    for (const [groupKey, machine] of Object.entries(cta.machines)) {
      if (!isTombstone(machine)) known.machines.set(groupKey, machineOf(machine));
    }
    known.resetAt = known.resetOnServer = cta.resetAt.marks;
    known.actionDoneAt = [...cta.actionDoneAt.marks];
    ctas.set(ctaId, known);
  }
  const tags = new Map<string, DeviceTag>();
  for (const [name, tag] of Object.entries(state.tags)) {
    tags.set(name, { ctasResetAt: tag.ctasResetAt.marks, resetInSession: [], activeCtas: activeCtaIds(tag) });
  }
  return { ctas, tags };
}

const newCta = (): DeviceCta => ({
  machines: new Map(),
  resetAt: [],
  resetInSession: [],
  actionDoneAt: [],
  resetOnServer: [],
});
const newTag = (): DeviceTag => ({ ctasResetAt: [], resetInSession: [], activeCtas: [] });

const machineOf = ({ currentState, createdAt, lastTransitionAt, context }: StateMachine): DeviceMachine => ({
  currentState,
  createdAt,
  lastTransitionAt,
  context: stringMap(context),
  contextSize: context === undefined ? 0 : JSON.stringify(context).length,
  sent: true,
});

/** A machine in the form in which the server would receive it. */
export function snapshotOf({ currentState, createdAt, lastTransitionAt, context }: DeviceMachine) {
  const known = Object.keys(context).length > 0 && { context };
  return Object.assign({ currentState, lastTransitionAt }, known, { createdAt }) satisfies StateMachine;
}

/** The app's data of a CTA; created if there is none yet. */
export const ctaOn = (device: Device, ctaId: string): DeviceCta => getOrCreate(device.ctas, ctaId, newCta);
export const tagOn = (device: Device, name: string): DeviceTag => getOrCreate(device.tags, name, newTag);

function getOrCreate<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

/**
 * Restarts the app, which receives the server's state. Machines that were created and never changed state are lost, machines past their
 * time to live are not sent, and resets are counted once for each time. Behaviour tags are not taken from the response: the app continues
 * with its stored ones, which still include the session's resets.
 */
export function restart(device: Device, { ctas }: Offer, now: number): void {
  const lives = new Map(ctas.map(({ ctaId, rule }) => [ctaId, rule.stateMachineTTL]));
  for (const [ctaId, cta] of device.ctas) {
    for (const [groupKey, machine] of cta.machines) {
      if (!machine.sent || !isAlive(machine, lives.get(ctaId), now)) cta.machines.delete(groupKey);
    }
    const marks = new Set([...cta.resetOnServer, ...cta.resetAt, ...cta.resetInSession]);
    cta.resetAt = cta.resetOnServer = [...marks].sort((left, right) => left - right);
    cta.resetInSession = [];
  }
}

/**
 * The first launch of an installed app: a restart without any tags. Afterwards, CTAs with `resetCTAonFirstLaunch` start over and leave
 * their place in their behaviour tag.
 */
export function launchFirstTime(device: Device, offer: Offer, now: number): void {
  restart(device, offer, now);
  for (const tag of device.tags.values()) {
    const marks = [...tag.ctasResetAt, ...tag.resetInSession];
    tag.ctasResetAt = [...new Map(marks.map((mark) => [JSON.stringify(mark), mark])).values()];
    tag.resetInSession = [];
  }
  for (const { ctaId, rule, behaviourTagName } of offer.ctas) {
    if (!rule.resetCTAonFirstLaunch) continue;
    const cta = ctaOn(device, ctaId);
    // An empty list clears the server's data only together with a machine that is reset (merge.ts).
    if (cta.machines.size > 0) cta.resetOnServer = [];
    cta.machines.clear();
    cta.resetAt = [];
    cta.actionDoneAt = [];
    const tag = behaviourTagName === null ? undefined : device.tags.get(behaviourTagName);
    if (!tag) continue;
    tag.ctasResetAt = tag.ctasResetAt.filter((mark) => typeof mark === 'number' || mark.ctaId !== ctaId);
    tag.activeCtas = tag.activeCtas.filter((active) => active !== ctaId);
  }
}

/** The user did what the action of a CTA asked for. This is stored but affects nothing. */
export function recordActionDone(device: Device, ctaId: string, now: number): void {
  ctaOn(device, ctaId).actionDoneAt.push(now);
}

/**
 * The first gate that keeps a CTA from reacting to an event that it names, in the order in which the app checks them; null when all are
 * open. `counts` are the CTA's own.
 */
export function closedAppGate(
  device: Device,
  { ctaId, rule, behaviourTagName }: Pick<AppCta, 'ctaId' | 'rule' | 'behaviourTagName'>,
  tags: Offer['tags'],
  now: number,
): { readonly hold: Hold | null; readonly counts: ShowCounts } {
  const known = device.ctas.get(ctaId) ?? newCta();
  const limits: Limits = Object.assign({}, rule.frequency, { lifespan: rule.frequency.lifeSpan });
  const counts = showCountsOf({ before: known.resetAt, inSession: known.resetInSession }, limits, now);
  const definition = behaviourTagName === null ? undefined : tags.get(behaviourTagName);
  if (definition) {
    const { exposureRule = {}, ctaRelation } = definition;
    const tag = device.tags.get(definition.behaviourTagName) ?? newTag();
    const resets = { before: tag.ctasResetAt, inSession: tag.resetInSession };
    const exposure = reachedLimitOf(exposureRule, showCountsOf(resets, exposureRule, now));
    if (exposure) return { hold: `exposure.${exposure}`, counts };
    if (ctaRelation && !mayAct(ctaRelation, tag.activeCtas, ctaId)) return { hold: 'relation', counts };
  }
  if (now > (rule.ctaValidTill ?? Infinity)) return { hold: 'valid_till', counts };
  const frequency = reachedLimitOf(limits, counts);
  return { hold: frequency === null ? null : `frequency.${frequency}`, counts };
}
