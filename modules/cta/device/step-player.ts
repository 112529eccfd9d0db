import type { AppFacts } from '../rules/app-event.ts';
import type { Properties } from '../rules/filter.ts';
import { concerns } from '../rules/machine.ts';
import { handleEvent, type CtaOutcome } from './app-engine.ts';
import { launchFirstTime, recordActionDone, restart, type Device, type Offer } from './device.ts';

/** What happens to an app, in the order given. Times are epoch milliseconds. */
export const stepKinds = ['event', 'session', 'first-launch', 'action-done'] as const;

export type PlayedStep = { readonly at: number } & (
  | { readonly kind: 'event'; readonly name: string; readonly properties: Properties }
  /** The app is launched: it gets the offer of that time, and a session starts. */
  | { readonly kind: 'session' }
  | { readonly kind: 'first-launch' }
  | { readonly kind: 'action-done'; readonly ctaId: string }
);

/**
 * What a simulation may come to: reactions of CTAs to events, and bytes of JSON, roughly, of what came of the steps and of
 * the machines that the app holds. One event may make a machine for each CTA and repeat its context in it, so what little
 * is sent can become much.
 */
interface PlayLimits {
  readonly reactions: number;
  readonly resultBytes: number;
}

/** What each step came to, or the step at which a limit was passed. */
type PlayResult =
  | { readonly kind: 'played'; readonly outcomes: readonly (readonly CtaOutcome[])[] }
  | { readonly kind: 'too large'; readonly step: number; readonly limit: keyof PlayLimits };

/** Plays steps on an app and changes it. Yields between CTAs. */
export function* playSteps(
  device: Device,
  offerAt: (now: number) => Offer,
  steps: readonly PlayedStep[],
  app: AppFacts,
  limits: PlayLimits,
): Generator<void, PlayResult> {
  let offer = offerAt(steps[0]?.at ?? 0);
  let size = 0;
  let reactions = 0;
  const outcomes: (readonly CtaOutcome[])[] = [];
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'event') {
      reactions += offer.ctas.filter(({ rule }) => concerns(rule, step.name)).length;
      if (reactions > limits.reactions) return { kind: 'too large', step: index, limit: 'reactions' };
      outcomes.push(yield* handleEvent(device, offer, step, app));
    } else {
      outcomes.push([]);
      if (step.kind === 'action-done') recordActionDone(device, step.ctaId, step.at);
      else offer = offerAt(step.at);
      if (step.kind === 'session') restart(device, offer, step.at);
      if (step.kind === 'first-launch') launchFirstTime(device, offer, step.at);
    }
    for (const outcome of outcomes[index] ?? []) size += sizeOf(outcome, device);
    if (size > limits.resultBytes) return { kind: 'too large', step: index, limit: 'resultBytes' };
    yield;
  }
  return { kind: 'played', outcomes: withoutCancelledActions(steps, outcomes) };
}

/** An outcome as text, and the machine that it may have left. */
function sizeOf(outcome: CtaOutcome, device: Device): number {
  const machine = device.ctas.get(outcome.ctaId)?.machines.get(outcome.groupKey);
  return 200 + 2 * outcome.groupKey.length + (machine?.contextSize ?? 0);
}

/**
 * An app keeps one pending timer for each CTA: a delayed action that begins before the one before it has appeared takes its
 * place, and the end of the app takes all. An action without delay appears at once and cancels nothing.
 */
function withoutCancelledActions(
  steps: readonly PlayedStep[],
  outcomes: readonly (readonly CtaOutcome[])[],
): readonly (readonly CtaOutcome[])[] {
  const cancelled = new Set<CtaOutcome>();
  const pending = new Map<string, { readonly outcome: CtaOutcome; readonly appearsAt: number }>();
  const cancel = (ctaId: string, now: number) => {
    const timer = pending.get(ctaId);
    if (timer && timer.appearsAt > now) cancelled.add(timer.outcome);
    pending.delete(ctaId);
  };
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'session' || step.kind === 'first-launch') {
      for (const ctaId of pending.keys()) cancel(ctaId, step.at);
    }
    for (const outcome of outcomes[index] ?? []) {
      const delay = outcome.kind === 'action' ? delayOf(outcome.action) : 0;
      if (delay === 0) continue;
      cancel(outcome.ctaId, step.at);
      pending.set(outcome.ctaId, { outcome, appearsAt: step.at + delay });
    }
  }
  if (cancelled.size === 0) return outcomes;
  return outcomes.map((told) =>
    told.map((outcome) => {
      if (outcome.kind !== 'action' || !cancelled.has(outcome)) return outcome;
      const { ctaId, groupKey, counts } = outcome;
      return { kind: 'held', ctaId, groupKey, hold: 'trigger_delay', to: null, counts } as const;
    }),
  );
}

/** Milliseconds. Tooltips know no delay. */
const delayOf = ({ type, config }: Extract<CtaOutcome, { kind: 'action' }>['action']): number =>
  type === 'TOOLTIP' ? 0 : (config?.triggerDelay ?? 0);
