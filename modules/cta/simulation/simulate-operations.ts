import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import type { Query } from '../../../core/db/db.ts';
import type { Context } from '../../../core/host.ts';
import { operation } from '../../../core/tools/operation.ts';
import { words } from '../../../core/schema.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../core/turns.ts';
import { byPriority, type AppCta } from '../rules/app-cta.ts';
import { archive } from '../state/archive.ts';
import { statusForState, type Catalogue } from '../catalogue/catalogue.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { storedState } from '../user-states/user-state-store.ts';
import { ctaFor } from '../ctas/cta-store.ts';
import type { Outcome } from '../device/app-engine.ts';
import { deviceOf, snapshotOf, type Offer } from '../device/device.ts';
import { fail } from '../errors.ts';
import type { Properties } from '../rules/filter.ts';
import { withoutFuture } from '../state/future-times.ts';
import { candidatesFor, forUser } from '../launch/candidates.ts';
import {
  appOf,
  appParameters,
  canonicalUserId,
  closed,
  ctaIdParameter,
  tenantOf,
  tenantParameter,
  timeOf,
  toolset,
  userIdText,
} from '../parameters.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { played, stepKinds, type Step } from '../device/simulation.ts';
import type { StateMachine } from '../state/snapshot.ts';
import { emptyState } from '../state/user-state.ts';
import { membershipOf, needsOf } from '../launch/targeting.ts';
import { knownOf } from '../launch/targeting-store.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { weightOf } from '../state/json-weight.ts';

/**
 * What one simulation may come to. 100 CTAs on 300 events were 19 s of work and an answer of 295 MB, which nobody reads;
 * an answer within these limits is put together in a few milliseconds.
 */
const limits = { reactions: 50_000, answerBytes: 4 * 1024 * 1024 };
/** Of the properties of one event, as JSON. */
const propertyBytes = 16 * 1024;

const step = Type.Object(
  {
    kind: Type.Optional(
      words(stepKinds, {
        description:
          'event; session: the app is launched; first-launch: for the first time since it was installed; action-done: the ' +
          'user did what ctaId asked for. event unless given.',
      }),
    ),
    at: Type.Optional(timeOf('A second after the step before unless given; the first one is now.')),
    event: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'For event: its name, as in stateTransition.',
      }),
    ),
    properties: Type.Optional(
      Type.Unsafe<Properties>(
        Type.Object(
          {},
          { additionalProperties: true, description: 'For event: its properties, by name; 16 KiB at most.' },
        ),
      ),
    ),
    ctaId: Type.Optional(ctaIdParameter),
  },
  { ...closed, description: 'One thing that happens.' },
);

const counts = Type.Object(
  { session: Type.Integer(), window: Type.Integer(), lifespan: Type.Integer() },
  closed,
);

const outcome = Type.Object(
  {
    kind: words(['started', 'transition', 'action', 'reset', 'expired', 'held'], {
      description: 'What came of it; started: a state machine was made and stays in "0".',
    }),
    ctaId: Type.String(),
    groupKey: Type.String(),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    started: Type.Optional(Type.Boolean({ description: 'Whether the state machine is new.' })),
    actionId: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    triggerDelay: Type.Optional(Type.Number({ description: 'Milliseconds.' })),
    state: Type.Optional(Type.String()),
    hold: Type.Optional(
      Type.String({
        description:
          'What the app left undone and why: a gate (frequency.session, relation …), one_action, context, trigger_delay.',
      }),
    ),
    counts: Type.Optional({
      ...counts,
      description: 'How often the CTA was reset before: that is what limits count.',
    }),
  },
  closed,
);

const machines = Type.Unsafe<Readonly<Record<string, StateMachine>>>(
  Type.Object({}, { additionalProperties: true }),
);

const marks = Type.Array(Type.Integer());

export const simulateCta = operation({
  name: 'simulate-cta',
  toolset,
  title: 'Play events on CTAs',
  description:
    'Plays events on an app and answers, step by step, the transitions, actions and resets, and what was held back and by ' +
    'what. It predicts what the deployed app SDK does; nothing is stored. On CTAs that are named, in whatever status, or else ' +
    'on those that a launch would answer. A user begins with their stored state. explain-cta tells why a launch leaves a CTA ' +
    'out. An answer of more than 4 MiB is refused.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      ctaIds: Type.Optional(
        Type.Array(ctaIdParameter, {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: 'The CTAs to play on, drafts too; those that a launch would answer unless given.',
        }),
      ),
      userId: Type.Optional(
        userIdText('The user to begin with; one of whom nothing is known, in no cohort, unless given.'),
      ),
      ...appParameters,
      platform: Type.Optional(
        Type.String({
          maxLength: 256,
          description: 'The platform of the app, as rules read it in "platform".',
        }),
      ),
      steps: Type.Array(step, {
        minItems: 1,
        maxItems: 1000,
        description: 'What happens, in order of time. A session begins with the first.',
      }),
    },
    closed,
  ),
  output: Type.Object(
    {
      ctaIds: Type.Array(Type.String(), { description: 'The CTAs that the first step met, in their order.' }),
      steps: Type.Array(
        Type.Object({ kind: Type.String(), at: Type.Integer(), outcomes: Type.Array(outcome) }, closed),
      ),
      ctas: Type.Array(
        Type.Object(
          { ctaId: Type.String(), activeStateMachines: machines, resetAt: marks, actionDoneAt: marks },
          { ...closed, description: 'What the app holds in the end.' },
        ),
      ),
    },
    closed,
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, context) => {
    const { actor, db, clock, host, signal } = context;
    const { tenantId } = await tenantFor(db.q, actor, tenantOf(input), 'read');
    const catalogue = await catalogues(host).of(tenantId);
    const steps = stepsOf(input.steps, clock.now());
    const start = steps[0]?.at ?? clock.now();
    const user =
      input.userId === undefined ? null : { tenantId, userId: canonicalUserId(input.userId, 'userId') };

    const offerAt =
      input.ctaIds === undefined
        ? await launchOffers(db.q, catalogue, appOf(input), user)
        : await namedOffer(input.ctaIds, tenantId, catalogue, context);
    const state = user === null ? emptyState : withoutFuture(await storedState(db.q, user), clock.now());
    const kept = archive(state, {
      now: start,
      ctaStatus: (ctaId) => statusForState(catalogue, ctaId, start),
      ttl: (ctaId) => catalogue.ctas.get(ctaId)?.rule.stateMachineTTL,
    }).state;
    const device = deviceOf(kept);
    const app = { ...appOf(input), platform: input.platform || null };
    const result = await inTurns(played(device, offerAt, steps, app, limits), signal);
    if (result.kind === 'too large') {
      throw fail.SIMULATION_TOO_LARGE(
        `The simulation was stopped at steps[${result.step}]: by then it had ${result.limit === 'reactions' ? `more than ${limits.reactions} reactions of CTAs to events` : `come to more than ${limits.answerBytes} bytes`}.`,
        { cause: 'steps' },
      );
    }
    return {
      ctaIds: offerAt(start).ctas.map(({ ctaId }) => ctaId),
      steps: steps.map(({ kind, at }, index) => ({
        kind,
        at,
        outcomes: (result.outcomes[index] ?? []).map(toldOutcome),
      })),
      ctas: [...device.ctas].map(([ctaId, cta]) => ({
        ctaId,
        activeStateMachines: Object.fromEntries(
          [...cta.machines].map(([key, machine]) => [key, snapshotOf(machine)]),
        ),
        resetAt: [...cta.resetAt, ...cta.resetInSession],
        actionDoneAt: cta.actionDoneAt,
      })),
    };
  },
});

type OfferAt = (now: number) => Offer;

/** What launches answer to the user at any time, by the functions of a launch. */
async function launchOffers(
  q: Query,
  catalogue: Catalogue,
  app: ReturnType<typeof appOf>,
  user: { readonly tenantId: string; readonly userId: string } | null,
): Promise<OfferAt> {
  const { cohorts, tags } = catalogue;
  // Of all cohorts, since steps may be at times when other CTAs are live.
  const everyNeed = needsOf(cohorts.keys(), cohorts);
  const known = user === null ? null : await knownOf(q, user, everyNeed);
  return (now) => {
    const inCohort = known === null ? () => false : membershipOf(cohorts, known, now);
    return { ctas: forUser(candidatesFor(catalogue, app, now), inCohort), tags };
  };
}

/** The CTAs that were named, whatever their status. @throws Fault CTA_NOT_FOUND, also for those of another tenant. */
async function namedOffer(
  ctaIds: readonly string[],
  tenantId: string,
  { tags }: Catalogue,
  { actor, db, signal }: Context,
): Promise<OfferAt> {
  const ctas: AppCta[] = [];
  for (const ctaId of ctaIds) {
    if (turnIsOver()) await nextTurn(signal);
    const cta = await ctaFor(db.q, actor, ctaId, 'read');
    if (cta.tenantId !== tenantId) {
      throw fail.CTA_NOT_FOUND(`The tenant "${tenantId}" has no CTA "${ctaId}".`, { cause: 'ctaIds' });
    }
    ctas.push({ ctaId, rule: wireRule(cta.rule, cta.endTime), behaviourTagName: cta.behaviourTagName });
  }
  const offer = { ctas: ctas.sort(byPriority), tags };
  return () => offer;
}

/** @throws Fault INVALID_REQUEST naming the step that lacks something or goes back in time. */
function stepsOf(given: readonly Static<typeof step>[], now: number): Step[] {
  let before = now - 1000;
  return given.map(({ kind = 'event', at = before + 1000, event, properties, ctaId }, index) => {
    const bad = (problem: string) => fail.INVALID_REQUEST(`steps[${index}] ${problem}.`, { cause: 'steps' });
    if (index > 0 && at < before) throw bad('is before the step before it');
    before = at;
    if (kind === 'event') {
      if (event === undefined) throw bad('needs event, the name of what happens');
      if (
        properties !== undefined &&
        weightOf(properties, { bytes: propertyBytes, values: propertyBytes }) === null
      ) {
        throw bad(`has properties of more than ${propertyBytes} bytes`);
      }
      return { kind, at, name: event, properties: properties ?? {} };
    }
    if (kind !== 'action-done') return { kind, at };
    if (ctaId === undefined) throw bad('needs ctaId, whose action was done');
    return { kind, at, ctaId };
  });
}

function toldOutcome(told: Outcome): Static<typeof outcome> {
  const { ctaId, groupKey } = told;
  switch (told.kind) {
    case 'transition':
      return { kind: told.kind, ctaId, groupKey, from: told.from, to: told.to, started: told.started };
    case 'action': {
      const { actionId, type, config } = told.action;
      const triggerDelay = config?.triggerDelay ?? 0;
      return { kind: told.kind, ctaId, groupKey, actionId, type, triggerDelay, counts: told.counts };
    }
    case 'started':
    case 'reset':
    case 'expired':
      return { kind: told.kind, ctaId, groupKey, state: told.state };
    case 'held':
      return {
        kind: told.kind,
        ctaId,
        groupKey,
        hold: told.hold,
        ...(told.to !== null && { to: told.to }),
        ...(told.counts !== null && { counts: told.counts }),
      };
  }
}
