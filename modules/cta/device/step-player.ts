import type { AppFacts } from '../rules/app-event.ts';
import type { Properties } from '../rules/filter.ts';
import { concerns } from '../rules/machine.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import { delayOf, handleEvent } from './app-engine.ts';
import { launchFirstTime, recordActionDone, restart, type Device, type Offer } from './device.ts';

/** Things that happen to an app, in the given order. Times are epoch milliseconds. */
export const stepKinds = ['event', 'session', 'first-launch', 'action-done'] as const;

export type PlayedStep = { readonly at: number } & (
  | { readonly kind: 'event'; readonly name: string; readonly properties: Properties }
  /** The app is launched: it receives the offer of that time, and a session starts. */
  | { readonly kind: 'session' }
  | { readonly kind: 'first-launch' }
  | { readonly kind: 'action-done'; readonly ctaId: string }
);

/**
 * Limits of a simulation: the number of reactions of CTAs to events, and the approximate bytes of JSON for the outcomes and for the
 * machines on the device. One event may create a machine for each CTA and copy its context into it, so a small input can become large.
 */
interface PlayLimits {
  readonly reactions: number;
  readonly resultBytes: number;
}

/** The outcome of each step, or the step at which a limit was exceeded. */
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

/** The size of an outcome as text, including the machine that it may have created. */
function sizeOf(outcome: CtaOutcome, device: Device): number {
  const machine = device.ctas.get(outcome.ctaId)?.machines.get(outcome.groupKey);
  return 200 + 2 * outcome.groupKey.length + (machine?.contextSize ?? 0);
}

/**
 * Removes cancelled actions. An app keeps one pending timer per CTA: a delayed action replaces one whose delay has not passed yet, and the
 * end of the app cancels all. An action without delay appears at once and cancels nothing.
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
