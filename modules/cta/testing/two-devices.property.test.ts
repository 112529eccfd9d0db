import { expect } from 'bun:test';
import * as fc from 'fast-check';
import type { CtaOutcome } from '../rules/outcome.ts';
import { deviceOf, snapshotOf, type Device, type Offer } from '../device/device.ts';
import type { AppEvent } from '../rules/app-event.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { merge } from '../state/merge.ts';
import type { SnapshotBody, StateMachine } from '../state/snapshot.ts';
import { emptyState } from '../state/user-state.ts';
import { canonical, law, mergeAll, options, runs } from './merge-laws.ts';
import { openNextClose, outcomesOf } from './played-rules.ts';

/** Two state machines by group, which open, move on and close. */
const played: Offer = {
  ctas: ['1', '2'].map((ctaId) => ({
    ctaId,
    behaviourTagName: 't',
    rule: wireRule(
      {
        stateToAction: { '1': 'a' },
        resetStates: openNextClose.resetStates,
        stateTransition: {
          ...openNextClose.stateTransition,
          next: { '1': [{ transitionTo: '2' }], '2': [{ transitionTo: '1' }] },
        },
        groupByConfig: { groupByKeys: ['g'] },
        actions: [{ actionId: 'a', type: 'POPUP', template: {} }],
      },
      null,
    ),
  })),
  tags: new Map([
    [
      't',
      {
        behaviourTagName: 't',
        exposureRule: {},
        ctaRelation: {
          shownCta: { rule: 'LIST', ctaList: ['1', '2'] },
          hideCta: { rule: 'LIST', ctaList: ['3'] },
        },
      },
    ],
  ]),
};

interface Player {
  readonly device: Device;
  /** When each machine last moved. The deployed SDK does not send this; the law applies to clients that do. */
  readonly movedAt: Map<string, number>;
}

const newPlayer = (): Player => ({ device: deviceOf(emptyState), movedAt: new Map() });

function plays({ device, movedAt }: Player, event: AppEvent): readonly CtaOutcome[] {
  const outcomes = outcomesOf(device, played, event);
  for (const { kind, ctaId, groupKey } of outcomes) {
    if (kind === 'transition') movedAt.set(`${ctaId} ${groupKey}`, event.at);
  }
  return outcomes;
}

/** The snapshot that an app sends after an event: everything on the device, and the resets. */
function pushedBy(
  { device: { ctas, tags }, movedAt }: Player,
  outcomes: readonly CtaOutcome[],
): SnapshotBody {
  return {
    ctas: [...ctas].map(([ctaId, { machines, resetAt, resetInSession, actionDoneAt }]) => {
      const lastTransitionAt = (groupKey: string) => movedAt.get(`${ctaId} ${groupKey}`) ?? 0;
      const resets = outcomes
        .filter((outcome) => outcome.kind === 'reset' && outcome.ctaId === ctaId)
        .map(({ groupKey }) => [
          groupKey,
          { currentState: '9', lastTransitionAt: lastTransitionAt(groupKey), createdAt: 1, reset: true },
        ]);
      const held = [...machines]
        .filter(([, { sent }]) => sent)
        .map(([groupKey, machine]) => [
          groupKey,
          { ...snapshotOf(machine), lastTransitionAt: lastTransitionAt(groupKey) },
        ]);
      return {
        ctaId,
        activeStateMachines: Object.fromEntries([...held, ...resets]) as Record<string, StateMachine>,
        resetAt: [...resetAt, ...resetInSession],
        actionDoneAt: [...actionDoneAt],
      };
    }),
    behaviourTags: [...tags].map(([behaviourTagName, tag]) => ({
      behaviourTagName,
      exposureRule: { ctasResetAt: [...tag.ctasResetAt, ...tag.resetInSession] },
      ctaRelation: { activeCtas: [...tag.activeCtas] },
    })),
  };
}

law('two devices that play at once end alike, in whatever order and how often their pushes come', () => {
  const happened = fc.record({
    device: fc.nat(1),
    name: fc.constantFrom('open', 'next', 'close'),
    g: fc.constantFrom('x', 'y'),
  });
  fc.assert(
    fc.property(
      fc.array(happened, { minLength: 1, maxLength: 10 }),
      fc.infiniteStream(fc.nat(9)),
      (events, choices) => {
        const players = [newPlayer(), newPlayer()];
        const pushed: SnapshotBody[] = [];
        for (const [index, { device, name, g }] of events.entries()) {
          const at = (index + 1) * 1000;
          const player = players[device] ?? newPlayer();
          pushed.push(pushedBy(player, plays(player, { name, at, properties: { g } })));
        }
        const choose = () => choices.next().value;
        const disordered = pushed
          .flatMap((push) => Array.from({ length: 1 + (choose() % 2) }, () => ({ push, place: choose() })))
          .sort((left, right) => left.place - right.place)
          .map(({ push }) => push);
        const inOrder = mergeAll(pushed);
        expect(canonical(mergeAll(disordered))).toBe(canonical(inOrder));
        // Both launch: each sends its data and continues with the response, after which both have the same.
        const [first = newPlayer(), second = newPlayer()] = players;
        const afterFirst = merge(inOrder, pushedBy(first, []), options).state;
        const afterBoth = merge(afterFirst, pushedBy(second, []), options).state;
        expect(afterBoth).toBe(inOrder);
      },
    ),
    runs,
  );
});
