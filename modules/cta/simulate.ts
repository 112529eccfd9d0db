import {
  actionDone,
  firstLaunched,
  sessionBegun,
  take,
  type Device,
  type Offer,
  type Outcome,
} from './device.ts';
import type { Properties } from './filter.ts';

/** What happens to an app, in the order given. Times are epoch milliseconds. */
export const stepKinds = ['event', 'session', 'first-launch', 'action-done'] as const;

export type Step = { readonly at: number } & (
  | { readonly kind: 'event'; readonly name: string; readonly properties: Properties }
  /** The app is launched: it gets what is offered then, and a session begins. */
  | { readonly kind: 'session' }
  | { readonly kind: 'first-launch' }
  | { readonly kind: 'action-done'; readonly ctaId: string }
);

export interface Played {
  readonly device: Device;
  /** By step. */
  readonly outcomes: readonly (readonly Outcome[])[];
}

/** Plays steps on an app: what each came to, and what the app holds in the end. Pure. */
export function played(from: Device, offerAt: (now: number) => Offer, steps: readonly Step[]): Played {
  let device = from;
  let offer = offerAt(steps[0]?.at ?? 0);
  const outcomes = steps.map((step): readonly Outcome[] => {
    switch (step.kind) {
      case 'event': {
        const taken = take(device, offer, step);
        device = taken.device;
        return taken.outcomes;
      }
      case 'session':
        offer = offerAt(step.at);
        device = sessionBegun(device, step.at);
        return [];
      case 'first-launch':
        offer = offerAt(step.at);
        device = firstLaunched(sessionBegun(device, step.at), offer);
        return [];
      case 'action-done':
        device = actionDone(device, step.ctaId, step.at);
        return [];
    }
  });
  return { device, outcomes };
}
