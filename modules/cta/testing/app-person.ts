import { deviceOf, snapshotOf, type Device, type Offer } from '../device/device.ts';
import type { StateMachine } from '../state/snapshot.ts';
import { stringMap } from '../state/string-map.ts';
import { emptyState } from '../state/user-state.ts';

/** The behaviour tag of the CTAs that have one. */
export const tagName = 'promo';

/** mulberry32: the same seed gives the same thirty days. */
function randomFrom(state: number) {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A device, and the data that it has not had confirmed. */
export interface App {
  device: Device;
  sessionStart: number;
  offer: Offer;
  installed: boolean;
  /** Milliseconds by which its clock is wrong. */
  readonly skew: number;
  /** CTAs that changed since the server last confirmed. */
  unsent: Set<string>;
  /** Machines that were reset since then, in the state in which they ended. */
  resets: Map<string, { ctaId: string; groupKey: string; machine: StateMachine }>;
}

/** Everything that really happened to a user, on both devices. */
interface History {
  resetAt: Map<string, number[]>;
  doneAt: Map<string, number[]>;
  tagResets: number[];
  /** The time since which impressions of a CTA count, if it starts over at a first launch. */
  countedFrom: Map<string, number>;
}

export interface Person {
  readonly id: string;
  readonly apps: readonly [App, App];
  readonly random: () => number;
  readonly record: History;
  /** The device that was killed with unsent data: the person continues with it. */
  pinned: App | null;
}

/** A person, the same for the same seed. */
export function person(n: number, seed: number): Person {
  const random = randomFrom(seed + n);
  const app = (): App => ({
    device: deviceOf(emptyState),
    sessionStart: 0,
    offer: { ctas: [], tags: new Map() },
    installed: false,
    skew: Math.round((random() - 0.5) * 40) * 1_000,
    unsent: new Set(),
    resets: new Map(),
  });
  return {
    id: String(9_007_199_254_740_993n + BigInt(n)),
    apps: [app(), app()],
    random,
    record: { resetAt: new Map(), doneAt: new Map(), tagResets: [], countedFrom: new Map() },
    pinned: null,
  };
}

/** The snapshot that an app sends of the CTAs that changed. A machine that ended is sent once more, marked as reset. */
export function bodyOf({ device, offer, unsent, resets }: App): object {
  const ctas = [...unsent].map((ctaId) => {
    const known = device.ctas.get(ctaId);
    const resetAt = [...(known?.resetAt ?? []), ...(known?.resetInSession ?? [])];
    const actionDoneAt = known?.actionDoneAt ?? [];
    const activeStateMachines = stringMap<object>();
    for (const reset of resets.values()) {
      if (reset.ctaId === ctaId) activeStateMachines[reset.groupKey] = { ...reset.machine, reset: true };
    }
    for (const [groupKey, machine] of known?.machines ?? []) {
      if (machine.sent) activeStateMachines[groupKey] = snapshotOf(machine);
    }
    return {
      ctaId,
      activeStateMachines,
      // An empty list together with a reset would mean: forget all of it. Only a first launch sends that.
      ...(resetAt.length > 0 && { resetAt }),
      ...(actionDoneAt.length > 0 && { actionDoneAt }),
    };
  });
  const touchesTag = offer.ctas.some(
    ({ ctaId, behaviourTagName }) => behaviourTagName !== null && unsent.has(ctaId),
  );
  const tag = device.tags.get(tagName);
  return {
    ctas,
    ...(touchesTag && tag
      ? {
          behaviourTags: [
            {
              behaviourTagName: tagName,
              exposureRule: { ctasResetAt: [...tag.ctasResetAt, ...tag.resetInSession] },
              ctaRelation: { activeCtas: tag.activeCtas },
            },
          ],
        }
      : {}),
  };
}

export function machinesOf({ ctas }: Device): ReadonlyMap<string, StateMachine> {
  const machines = new Map<string, StateMachine>();
  for (const [ctaId, cta] of ctas) {
    for (const [groupKey, machine] of cta.machines) machines.set(`${ctaId} ${groupKey}`, snapshotOf(machine));
  }
  return machines;
}
