import { handleEvent } from '../device/app-engine.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import type { Device, Offer } from '../device/device.ts';
import { unknownApp, type AppEvent } from '../rules/app-event.ts';
import type { RuleInput } from '../rules/rule.ts';

/** open: 0 → 1; next: 1 → 2; close: 1 or 2 → 9, which resets. */
export const openNextClose = {
  resetStates: ['9'],
  stateTransition: {
    open: { '0': [{ transitionTo: '1' }] },
    next: { '1': [{ transitionTo: '2' }] },
    close: { '1': [{ transitionTo: '9' }], '2': [{ transitionTo: '9' }] },
  },
} satisfies Partial<RuleInput>;

/** The outcomes of an event; the device is changed. */
export function outcomesOf(device: Device, offer: Offer, event: AppEvent): readonly CtaOutcome[] {
  const work = handleEvent(device, offer, event, unknownApp);
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** An outcome as short text, e.g. `1:0→1` for a transition of CTA 1. */
export function outcomeText(outcome: CtaOutcome): string {
  const { ctaId, groupKey } = outcome;
  const who = groupKey === ctaId ? ctaId : `${ctaId}/${groupKey}`;
  switch (outcome.kind) {
    case 'started':
      return `${who}⇒${outcome.state}`;
    case 'transition':
      return `${who}:${outcome.from}${outcome.started ? '⇒' : '→'}${outcome.to}`;
    case 'action':
      return `${who}!${outcome.action.actionId}`;
    case 'reset':
      return `${who}×`;
    case 'expired':
      return `${who}†`;
    case 'held':
      return `${who}#${outcome.hold}`;
  }
}
