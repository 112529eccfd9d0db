import { delayOf, handleEvent } from '../../modules/cta/device/app-engine.ts';
import type { Device, Offer } from '../../modules/cta/device/device.ts';
import type { AppEvent } from '../../modules/cta/rules/app-event.ts';
import type { CtaOutcome } from '../../modules/cta/rules/outcome.ts';
import type { Environment } from '../base/environment.ts';
import type { Action } from './action.ts';
import { changeOf, deviceWith } from './change.ts';
import { record, type UserMemory } from './user-memory.ts';

/** Plays an event for the user. @returns what it led to; `changed`: something is unsent. */
export function playEvent(
  memory: UserMemory,
  offer: Offer,
  event: AppEvent,
): { readonly outcomes: readonly CtaOutcome[]; readonly changed: boolean } {
  const { environment, device } = memory;
  const before = memory.state;
  const outcomes = outcomesOn(environment, device, offer, event);
  const changed = record(memory, changeOf(before, device, offer, outcomes, event.at));
  return { outcomes, changed };
}

/** What an event would lead to. */
export const explained = ({ environment, state, device }: UserMemory, offer: Offer, event: AppEvent) =>
  outcomesOn(environment, deviceWith(state, device), offer, event);

function outcomesOn(
  { app, report }: Environment,
  device: Device,
  offer: Offer,
  event: AppEvent,
): readonly CtaOutcome[] {
  const { version: appVersion = null, packageName = null, platform = null } = app;
  const steps = handleEvent(device, offer, event, { appVersion, packageName, platform }, (ctaId, error) =>
    report('RULE_FAILED', `This SDK cannot follow the rule of CTA ${ctaId}.`, error),
  );
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Shows actions when their delay is over. */
export function actionTimers(environment: Environment, show: (action: Action) => void) {
  const timers = new Map<string, () => void>();
  return {
    /** A delayed action replaces one of the same CTA that still waits; one without delay cancels nothing. */
    start({ ctaId, groupKey, action, context }: Extract<CtaOutcome, { kind: 'action' }>): void {
      const { actionId, type, template } = action;
      const delay = delayOf(action);
      const copy = Object.assign({}, context);
      const shown: Action = { ctaId, groupKey, actionId, type, template, context: copy, delay };
      if (delay === 0) return show(shown);
      timers.get(ctaId)?.();
      timers.set(
        ctaId,
        environment.later(delay, () => show(shown)),
      );
    },
    /** The end of a session cancels what still waits. */
    cancel(): void {
      timers.forEach((cancel) => cancel());
      timers.clear();
    },
  };
}
