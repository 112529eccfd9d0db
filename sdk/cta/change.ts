import {
  launchFirstTime,
  snapshotOf,
  deviceOf,
  type Device,
  type Offer,
} from '../../modules/cta/device/device.ts';
import type { CtaOutcome } from '../../modules/cta/rules/outcome.ts';
import type { CtaReset, StateMachine } from '../../modules/cta/state/snapshot.ts';
import { entryAt, stringMap } from '../../modules/cta/state/string-map.ts';
import {
  emptyCtaState,
  emptyTagState,
  isTombstone,
  type Activity,
  type CtaState,
  type TagState,
  type Tombstone,
  type UserState,
} from '../../modules/cta/state/user-state.ts';

/*
 * What an event or a first launch changed, in the form of the server's own state, so that the device, other tabs and the server all join it
 * by the same rule (modules/cta/state/merge.ts).
 */

/** A machine that was reset, with the state in which it was: the server counts who reached that. */
export interface Ended extends Tombstone {
  readonly endedIn: string;
}
const ended = (endedIn: string, lastTransitionAt: number, receivedAt: number): Ended => ({
  removed: true,
  lastTransitionAt,
  receivedAt,
  endedIn,
});

/** A state that is being made: what in it may be written. */
interface DraftCta {
  readonly machines: Record<string, StateMachine | Tombstone>;
  readonly resetAt: { readonly marks: number[] };
  readonly actionDoneAt: { readonly marks: number[] };
}
interface DraftTag {
  readonly ctasResetAt: { readonly marks: CtaReset[] };
  readonly activeCtas: Record<string, Activity>;
}

function draft() {
  const ctas = stringMap<DraftCta>();
  const tags = stringMap<DraftTag>();
  return {
    state: { version: 2, ctas, tags } satisfies UserState as UserState,
    cta: (ctaId: string): DraftCta =>
      (ctas[ctaId] ??= { machines: stringMap(), resetAt: { marks: [] }, actionDoneAt: { marks: [] } }),
    tag: (name: string): DraftTag => (tags[name] ??= { ctasResetAt: { marks: [] }, activeCtas: stringMap() }),
  };
}

export const ctaIn = (state: UserState, ctaId: string): CtaState =>
  entryAt(state.ctas, ctaId) ?? emptyCtaState;
export const tagIn = (state: UserState, name: string | null): TagState =>
  (name === null ? undefined : entryAt(state.tags, name)) ?? emptyTagState;

/**
 * The time of a change of a machine: now, but always later than what is known of it. Two changes within a millisecond, or a clock
 * that was set back, must not lose the later one in the join.
 */
function stampOf(state: UserState, ctaId: string, groupKey: string, at: number): number {
  const known = entryAt(ctaIn(state, ctaId).machines, groupKey);
  return known ? Math.max(at, known.lastTransitionAt + 1) : at;
}

/** @param state the state before the event; @param device the device after it. */
export function changeOf(
  state: UserState,
  device: Device,
  { ctas, tags }: Offer,
  outcomes: readonly CtaOutcome[],
  at: number,
): UserState {
  const change = draft();
  for (const outcome of outcomes) {
    const { ctaId, groupKey, kind } = outcome;
    const lastTransitionAt = stampOf(state, ctaId, groupKey, at);
    const tag = tags.get(ctas.find((cta) => cta.ctaId === ctaId)?.behaviourTagName ?? '');
    if (kind === 'transition') {
      const machine = device.ctas.get(ctaId)?.machines.get(groupKey);
      if (machine) {
        const snapshot: StateMachine = Object.assign(snapshotOf(machine), { lastTransitionAt });
        // A copy: the engine goes on to change the context of the machine in place.
        if (snapshot.context) snapshot.context = stringMap(snapshot.context);
        change.cta(ctaId).machines[groupKey] = snapshot;
      }
    }
    // An action that waits for its context or lacks its template counts as done, too.
    if (
      kind === 'action' ||
      (kind === 'held' && (outcome.hold === 'context' || outcome.hold === 'template'))
    ) {
      change.cta(ctaId).actionDoneAt.marks.push(at);
      if (tag && device.tags.get(tag.behaviourTagName)?.activeCtas.includes(ctaId)) {
        change.tag(tag.behaviourTagName).activeCtas[ctaId] = { active: true, at: lastTransitionAt };
      }
    }
    if (kind === 'reset') {
      const cta = change.cta(ctaId);
      cta.machines[groupKey] = ended(outcome.state, lastTransitionAt, at);
      cta.resetAt.marks.push(at);
      if (tag?.exposureRule) change.tag(tag.behaviourTagName).ctasResetAt.marks.push({ ctaId, resetAt: at });
    }
  }
  return change.state;
}

/**
 * Launches the device for the first time. @returns what that changes for the server: CTAs with `resetCTAonFirstLaunch` start over, which
 * can be said only together with a machine that is reset.
 */
export function firstLaunchChange(state: UserState, device: Device, offer: Offer, at: number): UserState {
  const change = draft();
  for (const { ctaId, rule, behaviourTagName } of offer.ctas) {
    if (!rule.resetCTAonFirstLaunch) continue;
    const { machines } = ctaIn(state, ctaId);
    let clearedAt = 0;
    for (const groupKey of Object.keys(machines)) {
      const lastTransitionAt = stampOf(state, ctaId, groupKey, at);
      clearedAt = Math.max(clearedAt, lastTransitionAt);
      const machine = machines[groupKey] as StateMachine | Ended;
      const endedIn = isTombstone(machine) ? machine.endedIn : machine.currentState;
      change.cta(ctaId).machines[groupKey] = ended(endedIn, lastTransitionAt, at);
    }
    if (clearedAt === 0) continue;
    Object.assign(change.cta(ctaId), {
      resetAt: { marks: [], clearedAt },
      actionDoneAt: { marks: [], clearedAt },
    });
    if (behaviourTagName !== null && tagIn(state, behaviourTagName).activeCtas[ctaId]) {
      change.tag(behaviourTagName).activeCtas[ctaId] = { active: false, at: clearedAt };
    }
  }
  launchFirstTime(device, offer, at);
  return change.state;
}

const markText = (mark: CtaReset): string => JSON.stringify(mark);

/** A device with a state that came from elsewhere, and with what only this session knows. Shares nothing with the one before. */
export function deviceWith(state: UserState, session: Device): Device {
  const device = deviceOf(state);
  session.ctas.forEach((own, ctaId) => {
    const { machines, resetAt, actionDoneAt } = device.ctas.get(ctaId) ?? {
      machines: new Map(),
      resetAt: [],
      actionDoneAt: [],
    };
    own.machines.forEach((machine, groupKey) => {
      if (!machine.sent && !machines.has(groupKey)) machines.set(groupKey, Object.assign({}, machine));
    });
    const before = resetAt.filter((mark) => !own.resetInSession.includes(mark));
    device.ctas.set(ctaId, {
      machines,
      resetAt: before,
      resetOnServer: before,
      resetInSession: own.resetInSession.slice(),
      actionDoneAt,
    });
  });
  session.tags.forEach((own, name) => {
    const inSession = new Set(own.resetInSession.map(markText));
    const tag = device.tags.get(name);
    device.tags.set(name, {
      ctasResetAt: (tag?.ctasResetAt ?? []).filter((mark) => !inSession.has(markText(mark))),
      resetInSession: own.resetInSession.slice(),
      activeCtas: tag?.activeCtas ?? [],
    });
  });
  return device;
}
